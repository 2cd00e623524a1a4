import { recomputeStatement } from '../../statement/verify-statement.ts';
import { browserPlatform } from '../../statement/browser/browser-platform.ts';
import { statementSigners } from '../../statement/browser/verify-own-file.ts';

export type FileFinding =
  | { readonly kind: 'holds'; readonly steps: readonly string[]; readonly keys: readonly string[] }
  | { readonly kind: 'differs'; readonly reason: string };

/** Computes a statement again from the events in it, and verifies its signatures: all of it in the browser. */
export async function verifyStatementFile(text: string): Promise<FileFinding> {
  const verdict = await recomputeStatement(text, browserPlatform);
  if (verdict.kind === 'different') return { kind: 'differs', reason: verdict.finding.message };
  const { statement, size } = verdict;
  const signers = statementSigners(statement);
  if (signers.length === 0)
    return { kind: 'differs', reason: 'checkpoint and statement are not both signed by a key that the statement names' };
  return {
    kind: 'holds',
    keys: signers,
    steps: [
      `The statement is about ${statement.project.title}, from ${statement.span.from} to ${statement.span.to}.`,
      `Each of its ${statement.evidence.events.length.toLocaleString('en')} events was hashed and led to the root of a tree of ${size.toLocaleString('en')} events.`,
      `Every figure was computed again from these events: ${String(statement.figures.length)} ${statement.figures.length === 1 ? 'method' : 'methods'} of counting, the same results.`,
      'The checkpoint and the statement are signed by the same key.',
    ],
  };
}
