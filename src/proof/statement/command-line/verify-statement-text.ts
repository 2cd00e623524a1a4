import { canonicalJson } from '../../../client/proofs/canonical-json.ts';
import { openCheckpoint } from '../../../client/proofs/checkpoint.ts';
import { quorumOf } from '../../../client/proofs/policy.ts';
import { parseNote, parseVerifierKey, signersOf, type VerifierKey } from '../../../client/proofs/signed-note.ts';
import type { SignedStatement } from '../document.ts';
import { nodePlatform } from '../node-platform.ts';
import { recomputeStatement } from '../verify-statement.ts';
import { type FileTrust, noQuorum } from '../../command-line/file-trust.ts';
import type { CliOutput } from '../../../platform/cli/command.ts';

/** The first bytes of a statement in its canonical form. */
export const STATEMENT_START = '{"asked":';

export interface StatementProblem {
  readonly kind: string;
  readonly message: string;
}

/** What else is to be verified of a statement whose data is equal and signed: a finding, or a sentence to add. */
export type FurtherCheck = (statement: SignedStatement) => { readonly problem: StatementProblem | null; readonly note: string };

const NOTHING_ELSE = { problem: null, note: '' };

/** Recomputes a statement with the code of this command, and verifies its signatures. */
export async function verifyStatementText(
  text: string,
  trust: FileTrust,
  output: CliOutput,
  further: FurtherCheck = () => NOTHING_ELSE,
): Promise<number> {
  const verdict = await recomputeStatement(text, nodePlatform);
  const ofData = verdict.kind === 'different' ? verdict.finding : untrusted(verdict.statement, trust);
  const { problem, note } = verdict.kind === 'different' || ofData !== null ? NOTHING_ELSE : further(verdict.statement);
  const finding = ofData ?? problem;
  if (finding !== null || verdict.kind === 'different') {
    output.result({ intact: false, finding }, `NOT EQUAL: ${finding?.message ?? ''}`);
    return 1;
  }
  const { project, span, edition, figures, evidence } = verdict.statement;
  const availability = figures.map(
    ({ method, availability }) => `${method} ${availability === null ? 'unknown' : `${String(availability)} %`}`,
  );
  const named = edition === null ? '' : `, edition ${String(edition.number)}`;
  output.result(
    { intact: true, project: project.id, span, edition, figures, events: evidence.events.length, size: verdict.size },
    `Equal: statement of ${project.title}, ${span.month ?? `${span.from} to ${span.to}`}${named}: ${availability.join(', ')}.\n` +
      `Every figure follows from ${String(evidence.events.length)} events, each in the log under ${String(verdict.size)} events; checkpoint and statement are signed.` +
      openDays(verdict.statement) +
      note,
  );
  return 0;
}

function openDays({ days }: SignedStatement): string {
  const measured = days.filter((day) => day.measured).map(({ day }) => day);
  return measured.length === 0 ? '' : `\nNot closed yet, so stated by the service alone: ${measured.join(', ')}.`;
}

function readKey(text: string): readonly VerifierKey[] {
  try {
    return [parseVerifierKey(text)];
  } catch {
    return [];
  }
}

function untrusted(statement: SignedStatement, { keys, policy }: FileTrust): StatementProblem | null {
  const { signature, ...document } = statement;
  const opened = openCheckpoint(document.checkpoint, keys);
  if (opened.kind !== 'open') return { kind: 'signature', message: 'the checkpoint was not signed by a given key' };
  const note = parseNote(`${canonicalJson(document)}\n\n${signature}`);
  const [signer] = note === null ? [] : signersOf(note, keys);
  if (note === null || signer === undefined)
    return {
      kind: 'signature',
      message: 'what no event proves, such as title, time of issue or edition, was changed, or the statement is signed by another key',
    };
  // The signatures are the only text that the signature does not cover. During a rotation some of them are of keys that were not given.
  const stated = new Set(signersOf(note, document.keys.flatMap(readKey)));
  if (stated.size !== note.signatures.length || stated.size !== document.keys.length)
    return { kind: 'signature', message: 'its signatures are not those of the keys that the statement names' };
  const quorum = policy === null ? null : quorumOf(policy, document.checkpoint);
  return quorum?.isMet === false ? { kind: 'quorum', message: noQuorum(quorum.cosigners) } : null;
}
