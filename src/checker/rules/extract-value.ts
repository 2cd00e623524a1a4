import { type Extraction, extractionSource, type ExtractionSource, MAX_STEP_VALUE } from '../../projects/checks/extraction.ts';
import type { Page } from '../page/page.ts';
import { compilePattern } from './patterns.ts';
import { headerValue, headerValues, type StoredAnswer } from './stored-answer.ts';
import { jsonRow } from './types/json.rule.ts';

export type ExtractedValue = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly sentence: string };

/** The value that a check promises to later ones. Compiles patterns and paths: on a worker thread, unless it is of a header or a cookie. */
export function extractValue({ name, from }: Extraction, answer: StoredAnswer, page: Page): ExtractedValue {
  const source = extractionSource(from);
  const missing = (found: string): ExtractedValue => ({ ok: false, sentence: `Expected ${from} to give \`${name}\`, but ${found}` });
  const value = source === null ? undefined : valueOf(source, answer, page);
  if (value === undefined || value === '') return missing('found no value');
  if (Buffer.byteLength(value) > MAX_STEP_VALUE) return missing(`the value is longer than ${String(MAX_STEP_VALUE / 1024)} KiB`);
  // Such text has no form in a url, a header or a body.
  if (/[\ud800-\udfff]/u.test(value)) return missing('the value is not well-formed text');
  return { ok: true, value };
}

/** Headers and cookies take no time worth a worker thread. */
export const isCheapExtraction = ({ from }: Extraction): boolean => {
  const kind = extractionSource(from)?.kind;
  return kind === 'header' || kind === 'cookie';
};

/** The first of several values counts; of several cookies with one name, the last. */
function valueOf({ kind, parameter }: ExtractionSource, answer: StoredAnswer, page: Page): string | undefined {
  switch (kind) {
    case 'header':
      return headerValue(answer, parameter.toLowerCase())?.trim();
    case 'cookie':
      return cookieValue(answer, parameter);
    case 'json':
      return jsonRow(parameter).apply((row) => {
        const [first] = row.valuesOf(answer, page).values;
        const text = first === undefined ? undefined : row.shown(first);
        return text === 'null' ? undefined : text;
      });
    case 'pattern':
      return firstGroup(parameter, page.html);
  }
}

function cookieValue(answer: StoredAnswer, name: string): string | undefined {
  const pairs = headerValues(answer, 'set-cookie').map((line) => line.split(';', 1)[0] ?? '');
  const pair = pairs.findLast((text) => text.slice(0, Math.max(0, text.indexOf('='))).trim() === name);
  return pair?.slice(pair.indexOf('=') + 1).trim();
}

function firstGroup(pattern: string, text: string): string | undefined {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return undefined;
  const matcher = compiled.pattern.matcher(text);
  return matcher.find() && matcher.groupCount() > 0 ? (matcher.group(1) ?? undefined) : undefined;
}

/** Why a pattern cannot extract a value; null if it can. */
export function capturingProblem(pattern: string): string | null {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return compiled.reason;
  return compiled.pattern.groupCount() === 1 ? null : 'it must have exactly one group, which is the value';
}
