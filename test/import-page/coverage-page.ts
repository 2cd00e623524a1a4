import { importerTable } from '../../src/import/importer-table.ts';
import type { Fate, SettingRows } from '../../src/import/setting-rows.ts';

const FATES: Readonly<Record<Fate, string>> = {
  arrives: 'yes',
  nearest: 'nearest',
  missing: 'no',
  internal: 'has no meaning here',
};

/** The part of docs/import.md that says what becomes of each setting of each source. */
export function coverageMarkdown(): string {
  return Object.entries(importerTable)
    .flatMap(([kind, { product, settings }]) => [
      `### ${product} (\`${kind}\`)`,
      '',
      sumOf(settings),
      '',
      '| Setting | Arrives | As, or why not |',
      '|---|---|---|',
      ...Object.entries(settings).map(([setting, { fate, text }]) => `| ${cell(`\`${setting}\``)} | ${FATES[fate]} | ${cell(text)} |`),
      '',
    ])
    .join('\n');
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

function sumOf(settings: SettingRows): string {
  const count = (fate: Fate): number => Object.values(settings).filter((row) => row.fate === fate).length;
  const [whole, near, no, own] = [count('arrives'), count('nearest'), count('missing'), count('internal')];
  const counted = whole + near + no;
  return `Of ${String(counted)} settings ${String(whole)} arrive as they are, ${String(near)} as the nearest that exists here, and ${String(no)} ${no === 1 ? 'does' : 'do'} not; ${String(own)} more have no meaning here.`;
}

const MARK = '## What arrives\n';

/** A text of docs/import.md with its second half replaced. */
export const withCoverage = (page: string, coverage: string): string => `${page.split(MARK, 1)[0] ?? ''}${MARK}\n${coverage}`;
