import { notWellNested, type OpenElements } from './open-elements.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** What the start tag of an element does to the tree, for the elements of which that depends on little (HTML standard, section 13.2.6). */
export const VOID = words('area base br col embed hr img input link meta param source track wbr');
/** Their start tag ends an open paragraph; their end tag ends open list items, options and paragraphs. */
const BLOCKS = words(
  'address article aside blockquote center details dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup main menu nav ol p ' +
    'pre section summary ul table hr li dd dt',
);
const HEADINGS = words('h1 h2 h3 h4 h5 h6');
/** In an element with the same name they end it, or are rearranged. */
const NOT_IN_THEMSELVES = words('a button form p h1 h2 h3 h4 h5 h6');
/** Their content is text, in which the first group resolves character references. */
export const ESCAPABLE_TEXT = words('title textarea');
export const RAW_TEXT = words('script style noscript iframe');
export const IN_HEAD = words('title script style noscript meta link base');
/** Whose end may be left out before another one of the list they name. */
const ITEMS: Readonly<Record<string, ReadonlySet<string>>> = {
  li: words('ul ol menu'),
  dd: words('dl'),
  dt: words('dl'),
  option: words('select optgroup datalist'),
  optgroup: words('select'),
};
const ROW_GROUPS = words('tbody thead tfoot');
const CELLS = words('td th');
export const TABLE_PARTS = words('table tbody thead tfoot tr colgroup');

/** Elements that simply nest. Others, among them those of scripts' own making, are left to the parser of the standard. */
const PLAIN = words(
  'a abbr audio b bdi bdo big button canvas cite code data datalist del dfn em font i ins kbd label legend map mark meter object output picture progress ' +
    'q s samp select small span strike strong sub sup time tt u var video',
);
/** Elements of a body that are not part of a list or of a table. */
const KNOWN: ReadonlySet<string> = new Set([...PLAIN, ...BLOCKS, ...VOID, ...RAW_TEXT, ...ESCAPABLE_TEXT, 'svg']);
const IN_TABLE = words('caption col colgroup tbody thead tfoot tr td th');
export const SVG = words(
  'circle clippath defs desc ellipse g line lineargradient mask path pattern polygon polyline radialgradient rect stop symbol text title tspan use',
);
/** Written in the case of the standard. */
export const SVG_NAMES: Readonly<Record<string, string>> = {
  clippath: 'clipPath',
  lineargradient: 'linearGradient',
  radialgradient: 'radialGradient',
};
export const SVG_ATTRIBUTES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'clipPathUnits gradientTransform gradientUnits lengthAdjust maskContentUnits maskUnits pathLength patternContentUnits patternTransform patternUnits ' +
    'preserveAspectRatio refX refY spreadMethod startOffset systemLanguage textLength viewBox'
  )
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
);
/** All attributes with these letters only are the same in SVG and in HTML. */
export const PLAIN_SVG_ATTRIBUTE = words(
  'class id d fill stroke style width height x y x1 x2 y1 y2 cx cy r rx ry points transform role href xlink:href xmlns xmlns:xlink version offset ' +
    'opacity focusable tabindex fill-rule clip-rule clip-path stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stop-color stop-opacity ' +
    'fill-opacity stroke-opacity mask text-anchor font-size font-family aria-hidden aria-label aria-labelledby data-name data-icon data-prefix',
);

/** Ends what a start tag in the body ends, and opens what it implies. */
export function nestStartTag(name: string, open: OpenElements): void {
  const { current } = open;
  if (IN_TABLE.has(name)) {
    nestTablePart(name, open);
    return;
  }
  if (TABLE_PARTS.has(current) || current === 'colgroup') notWellNested();
  const lists = ITEMS[name];
  if (open.has('select') && name !== 'option' && name !== 'optgroup') notWellNested();
  if (lists !== undefined) nestItem(name, lists, open);
  else if (open.has('p') && BLOCKS.has(name)) {
    if (current !== 'p' || name === 'table') notWellNested();
    open.pop();
  }
  if (NOT_IN_THEMSELVES.has(name) && open.has(name)) notWellNested();
  if (HEADINGS.has(name) && HEADINGS.has(open.current)) notWellNested();
  if (!KNOWN.has(name) && lists === undefined) notWellNested();
}

function nestItem(name: string, lists: ReadonlySet<string>, open: OpenElements): void {
  const siblings = name === 'dd' || name === 'dt' ? ['dd', 'dt'] : [name];
  if (open.current === 'p' && siblings.includes(open.parent)) open.pop();
  if (name === 'optgroup' && open.current === 'option') open.pop();
  if (siblings.includes(open.current)) open.pop();
  if (!lists.has(open.current) || open.has('p')) notWellNested();
}

function nestTablePart(name: string, open: OpenElements): void {
  if (CELLS.has(name)) {
    if (CELLS.has(open.current)) open.pop();
    if (open.current === 'table') open.imply('tbody');
    if (ROW_GROUPS.has(open.current)) open.imply('tr');
    if (open.current !== 'tr') notWellNested();
  } else if (name === 'tr') {
    if (CELLS.has(open.current)) open.pop();
    if (open.current === 'tr') open.pop();
    if (open.current === 'table') open.imply('tbody');
    if (!ROW_GROUPS.has(open.current)) notWellNested();
  } else if (name === 'col') {
    if (open.current !== 'colgroup') notWellNested();
  } else if (open.current !== 'table') notWellNested();
}

/** Ends the elements whose end tag may be left out before this end tag. */
export function endOmitted(name: string, open: OpenElements): void {
  if (open.svgDepth > 0 || open.current === name) return;
  if (name === 'tr' || name === 'table' || ROW_GROUPS.has(name)) endTableParts(name, open);
  else if (name === 'select') {
    if (open.current === 'option') open.pop();
    if (open.current === 'optgroup') open.pop();
  } else if ((BLOCKS.has(name) && !HEADINGS.has(name) && name !== 'p') || CELLS.has(name)) {
    if (open.current === 'p') open.pop();
    if (name !== open.current && (open.current === 'li' || open.current === 'dd' || open.current === 'dt')) open.pop();
  }
}

function endTableParts(name: string, open: OpenElements): void {
  if (CELLS.has(open.current)) open.pop();
  if (name !== 'tr' && open.current === 'tr') open.pop();
  if (name === 'table' && ROW_GROUPS.has(open.current)) open.pop();
}
