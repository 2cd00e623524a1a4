import type { ImportFindings } from './findings.ts';

/** What becomes of a setting: `arrives` as it is, `nearest`: as the nearest that exists here, `missing`: not at all, `internal`: it means something in its product only. */
export type Fate = 'arrives' | 'nearest' | 'missing' | 'internal';

export interface SettingRow {
  readonly fate: Fate;
  /** What the setting becomes, or why it does not arrive, as the report and docs/import.md say it. */
  readonly text: string;
  /** Values beside the empty ones that ask for nothing. */
  readonly usual: readonly unknown[];
}

export type SettingRows = Readonly<Record<string, SettingRow>>;

const row =
  (fate: Fate) =>
  (text: string, ...usual: readonly unknown[]): SettingRow => ({ fate, text, usual });

export const arrives = row('arrives');
export const nearest = row('nearest');
export const missing = row('missing');
export const internal = row('internal');

/** Names the settings of one object that are set and do not arrive, those that nothing knows included. */
export function noteMissing(
  name: string,
  settings: Readonly<Record<string, unknown>>,
  rows: SettingRows,
  findings: ImportFindings,
  prefix = '',
): void {
  for (const [setting, value] of Object.entries(settings)) {
    const found = Object.hasOwn(rows, `${prefix}${setting}`) ? rows[`${prefix}${setting}`] : undefined;
    if (isEmpty(value) || found?.usual.includes(value) === true) continue;
    if (found === undefined) findings.miss(name, `${prefix}${setting}: a setting that this version does not know`);
    else if (found.fate === 'missing') findings.miss(name, `${prefix}${setting}: ${found.text}`);
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true;
  if (typeof value === 'string') return /^(?:\[\]|\{\})$/.test(value);
  return typeof value === 'object' && Object.keys(value).length === 0;
}
