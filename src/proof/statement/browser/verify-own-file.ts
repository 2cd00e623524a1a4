import { canonicalJson } from '../../../client/proofs/canonical-json.ts';
import type { SignedStatement } from '../document.ts';
import { extracted, joinFile, pageSha256 } from '../page/page-file.ts';
import { renderPage } from '../page/render-page.ts';
import { recomputeStatement, type StatementFinding } from '../verify-statement.ts';
import { browserPlatform } from '../../../client/verify/browser-platform.ts';
import { keysThatSigned, linesOf } from '../../../client/verify/note-signatures.ts';

/** The part of the browser's document model that the verifier uses: the program itself is compiled without it. */
interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly parentNode: PageNode | null;
  readonly childNodes: ArrayLike<PageNode>;
  /** Only an element has attributes. */
  readonly attributes?: ArrayLike<{ readonly name: string; readonly value: string }>;
}

export interface PageElement extends PageNode {
  className: string;
  append(...nodes: readonly (PageNode | string)[]): void;
  replaceChildren(...nodes: readonly (PageNode | string)[]): void;
  querySelector(selector: string): PageElement | null;
}

export interface PageDocument extends PageNode {
  readonly currentScript: PageElement | null;
  readonly compatMode: string;
  readonly characterSet: string;
  querySelector(selector: string): PageElement | null;
  createElement(name: string): PageElement;
  addEventListener(type: 'DOMContentLoaded', listener: () => void): void;
}

const TEXT = 3;

/** The first place at which the shown page differs from the one that its data gives, in words; null when it does not. */
function firstPageDifference(shown: PageNode, rendered: PageNode): string | null {
  if (shown.nodeType !== rendered.nodeType || shown.nodeName !== rendered.nodeName) return differing(shown, said(shown), said(rendered));
  if (shown.childNodes.length === 0 || rendered.childNodes.length === 0) {
    const [stated, computed] = [shown.nodeValue ?? shown.textContent, rendered.nodeValue ?? rendered.textContent];
    if (stated !== computed) return differing(shown, quoted(stated), quoted(computed));
  }
  const [of, expected] = [attributesOf(shown), attributesOf(rendered)];
  if (of !== expected) return differing(shown, `<${shown.nodeName.toLowerCase()}${of}>`, `<${rendered.nodeName.toLowerCase()}${expected}>`);
  for (let index = 0; index < Math.max(shown.childNodes.length, rendered.childNodes.length); index++) {
    const [one, other] = [shown.childNodes[index], rendered.childNodes[index]];
    if (one === undefined) return differing(shown, 'nothing', other === undefined ? 'nothing' : said(other));
    if (other === undefined) return differing(one, said(one), 'nothing');
    const found = firstPageDifference(one, other);
    if (found !== null) return found;
  }
  return null;
}

const attributesOf = ({ attributes }: PageNode): string =>
  attributes === undefined ? '' : Array.from(attributes, ({ name, value }) => ` ${name}="${value}"`).join('');

const LONGEST = 80;
const quoted = (text: string | null): string => {
  const value = text ?? '';
  return `"${value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}"`;
};
const said = (node: PageNode): string =>
  node.nodeType === TEXT ? quoted(node.nodeValue) : `<${node.nodeName.toLowerCase()}> ${quoted(node.textContent)}`;

const differing = (node: PageNode, stated: string, computed: string): string =>
  `${placeOf(node)}: the page says ${stated}, the data gives ${computed}`;

/** The heading of the section, and the beginning of the row. */
function placeOf(node: PageNode): string {
  const [row, section] = [ancestor(node, 'TR'), ancestor(node, 'SECTION')];
  const heading = section === null ? null : Array.from(section.childNodes).find(({ nodeName }) => nodeName === 'H2');
  const first = row?.childNodes[0]?.textContent ?? null;
  const place = heading?.textContent ?? ancestor(node, 'MAIN', 'HEAD')?.nodeName.toLowerCase() ?? 'document';
  return first === null || first === '' ? `page, ${place}` : `page, ${place}, ${first}`;
}

function ancestor(node: PageNode, ...names: readonly string[]): PageNode | null {
  for (let at: PageNode | null = node; at !== null; at = at.parentNode) if (names.includes(at.nodeName)) return at;
  return null;
}

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
