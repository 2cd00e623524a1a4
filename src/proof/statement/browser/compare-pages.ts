import type { PageNode } from './dom.ts';

const TEXT = 3;

/** Where the page that is shown differs from the one that its data gives, in words; null when it does not. */
export function firstPageDifference(shown: PageNode, rendered: PageNode): string | null {
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
