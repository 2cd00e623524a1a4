import { BLOCKS, CELLS, HEADINGS, IN_TABLE, ITEMS, KNOWN, NOT_IN_THEMSELVES, ROW_GROUPS, TABLE_PARTS } from './nesting.ts';
import { notWellNested, type OpenElements } from './open-elements.ts';

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
