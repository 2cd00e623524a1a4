import type { JSONValue } from 'json-p3';
import { ofNumber } from '../comparers.ts';
import type { Page } from '../../page/page.ts';
import { compileJsonPath, MAX_VALUES, jsonText } from '../json-path.ts';
import { type RuleRow, type RuleValues, textRow } from '../rule-row.ts';

type Parsed = { readonly ok: true; readonly value: JSONValue } | { readonly ok: false };

const known = new WeakMap<Page, Parsed>();

/** JSON is UTF-8, whatever charset the answer names (RFC 8259, section 8.1). */
function parsedOf(page: Page, body: Uint8Array): Parsed {
  let parsed = known.get(page);
  if (parsed === undefined) {
    try {
      parsed = { ok: true, value: JSON.parse(new TextDecoder().decode(body)) as JSONValue };
    } catch {
      parsed = { ok: false };
    }
    known.set(page, parsed);
  }
  return parsed;
}

/** The location of the nth value that a path finds, in an answer that is JSON; null where there is none. */
export function jsonLocation(path: string, page: Page, body: Uint8Array, nth: number): readonly (string | number)[] | null {
  const parsed = parsedOf(page, body);
  const compiled = compileJsonPath(path);
  if (!parsed.ok || !compiled.ok) return null;
  let at = 0;
  for (const { location } of compiled.query.lazyQuery(parsed.value)) if (at++ === nth) return location;
  return null;
}

function valuesOf(path: string, value: JSONValue): RuleValues<string> {
  const compiled = compileJsonPath(path);
  if (!compiled.ok) return { values: [], problem: `that the JSONPath cannot be used: ${compiled.reason}` };
  const values: string[] = [];
  try {
    for (const node of compiled.query.lazyQuery(value)) {
      if (values.length >= MAX_VALUES) return { values: [], problem: `more than ${String(MAX_VALUES)} values` };
      values.push(jsonText(node.value));
    }
  } catch {
    return { values: [], problem: 'JSON that is nested too deep' };
  }
  return { values };
}

/** `json:<path>`: the values that a JSONPath (RFC 9535) finds in an answer that is JSON. */
export const jsonRow = (path: string): RuleRow =>
  textRow(
    `the JSON value at ${path}`,
    'no such value',
    ({ body }, page) => {
      const parsed = parsedOf(page, body);
      if (parsed.ok) return valuesOf(path, parsed.value);
      return page.cut ? { values: [], moreToCome: true } : { values: [], problem: 'no valid JSON' };
    },
    { comparers: ofNumber, isExpensive: true },
  );
