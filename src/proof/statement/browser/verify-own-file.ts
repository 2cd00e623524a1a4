import { canonicalJson } from '../../../client/proofs/canonical-json.ts';
import type { SignedStatement } from '../document.ts';
import { extracted, joinFile, pageSha256 } from '../page/page-file.ts';
import { renderPage } from '../page/render-page.ts';
import { recomputeStatement, type StatementFinding } from '../verify-statement.ts';
import { browserPlatform } from '../../../client/verify/browser-platform.ts';
import { firstPageDifference } from './compare-pages.ts';
import type { PageDocument } from './dom.ts';
import { keysThatSigned, linesOf } from '../../../client/verify/note-signatures.ts';

export type FileVerdict =
  | { readonly kind: 'equal'; readonly statement: SignedStatement; readonly size: number; readonly signers: readonly string[] }
  | { readonly kind: 'different'; readonly finding: StatementFinding };

/** Verifies the file from which the document was read, with nothing but what is in it. */
export async function verifyOwnFile(page: PageDocument, verifier: string, parse: (text: string) => PageDocument): Promise<FileVerdict> {
  const data = page.querySelector('script#statement')?.textContent ?? '';
  const text = extracted(data);
  const verdict = await recomputeStatement(text, browserPlatform);
  if (verdict.kind === 'different') return verdict;
  const { statement, size } = verdict;
  const signers = statementSigners(statement);
  if (signers.length === 0) {
    const message = 'checkpoint and statement are not both signed by a key that the statement names';
    return { kind: 'different', finding: { kind: 'signature', message } };
  }
  const message = pageDifference(page, { statement, text, verifier }, parse);
  return message === null ? { kind: 'equal', statement, size, signers } : { kind: 'different', finding: { kind: 'page', message } };
}

/** The keys, of those that a statement names, that signed both its checkpoint and itself. */
export function statementSigners({ signature, ...document }: SignedStatement): readonly string[] {
  const ofCheckpoint = new Set(keysThatSigned(document.checkpoint, document.keys, browserPlatform));
  const signers = keysThatSigned(`${canonicalJson(document)}\n\n${signature}`, document.keys, browserPlatform);
  // The signatures are the only text that the signature does not cover.
  const isExact = linesOf(signature, browserPlatform)?.length === signers.length;
  return isExact ? signers.filter((key) => ofCheckpoint.has(key)) : [];
}

interface Around {
  readonly statement: SignedStatement;
  readonly text: string;
  readonly verifier: string;
}

function pageDifference(page: PageDocument, { statement, text, verifier }: Around, parse: (text: string) => PageDocument): string | null {
  const rendered = renderPage(statement, verifier, browserPlatform);
  const found = firstPageDifference(page, parse(joinFile({ page: rendered, text })));
  if (found !== null) return found;
  if (page.compatMode !== 'CSS1Compat' || page.characterSet !== 'UTF-8') return 'page: the file must be UTF-8 and begin with a doctype';
  return pageSha256(rendered, browserPlatform) === statement.pageSha256
    ? null
    : 'page: the page or its verifier is not the one that was signed';
}
