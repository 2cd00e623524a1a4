import type { Platform } from '../../../client/verify/platform.ts';

/** The HTML file without the data of the statement: what stands before it and after it. */
export interface StatementPage {
  readonly before: string;
  readonly after: string;
}

export interface StatementFile {
  readonly page: StatementPage;
  /** The statement in its canonical form. */
  readonly text: string;
}

/** The first bytes of the file. */
export const PAGE_START = '<!doctype html>\n';
export const DATA_START = '<script type="application/json" id="statement">';
export const DATA_END = '</script>';

/** No `<` of the data can end the element or begin a comment. */
const embedded = (text: string): string => text.replaceAll('<', String.raw`\u003c`);

/** The inverse: canonical JSON does not write this escape itself. */
export const extracted = (data: string): string =>
  data.replace(/\\(?:u003c|[^])/g, (escape) => (escape === String.raw`\u003c` ? '<' : escape));

export const joinFile = ({ page, text }: StatementFile): string => `${page.before}${embedded(text)}${page.after}`;

/** Null when the file has no data, or not in the form in which it is written. */
export function splitFile(file: string): StatementFile | null {
  const start = file.indexOf(DATA_START) + DATA_START.length;
  const end = file.indexOf(DATA_END, start);
  if (start < DATA_START.length || end < 0) return null;
  const parts = { page: { before: file.slice(0, start), after: file.slice(end) }, text: extracted(file.slice(start, end)) };
  return joinFile(parts) === file ? parts : null;
}

export function pageSha256({ before, after }: StatementPage, { sha256 }: Pick<Platform, 'sha256'>): string {
  const bytes = sha256(new TextEncoder().encode(`${before}${after}`));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
