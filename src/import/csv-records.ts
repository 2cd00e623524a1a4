import { StartRefused } from '../kernel/start-refused.ts';
import type { SourceObject } from './source-values.ts';

const MOST_COLUMNS = 500;

/** The rows of a CSV file (RFC 4180) by the names in its first line; separated by commas, semicolons or tabs. */
export function csvRecords(text: string, name: string): readonly SourceObject[] {
  const rows = csvRows(text.replace(/^\ufeff/, ''), name);
  const [header, ...records] = rows.filter((row) => row.length > 1 || row[0] !== '');
  if (header === undefined) throw new StartRefused(`${name}: is empty`);
  if (header.length > MOST_COLUMNS) throw new StartRefused(`${name}: has more than ${String(MOST_COLUMNS)} columns`);
  return records.map((record) => Object.fromEntries(header.map((column, nth) => [column.trim(), record[nth] ?? ''])));
}

function csvRows(text: string, name: string): readonly (readonly string[])[] {
  const separator = separatorOf(text);
  const rows: string[][] = [[]];
  let [value, isQuoted] = ['', false];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (isQuoted) {
      if (char !== '"') value += char;
      else if (text.charAt(at + 1) === '"') value += text.charAt(++at);
      else isQuoted = false;
    } else if (char === '"' && value === '') isQuoted = true;
    else if (char === separator || char === '\n') {
      rows.at(-1)?.push(value.replace(/\r$/, ''));
      value = '';
      if (char === '\n') rows.push([]);
    } else value += char;
  }
  if (isQuoted) throw new StartRefused(`${name}: is not valid CSV: a quotation mark is not closed`);
  rows.at(-1)?.push(value.replace(/\r$/, ''));
  return rows;
}

/** The one that the first line has most of. */
function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: first.split(separator).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.separator ?? ',';
}
