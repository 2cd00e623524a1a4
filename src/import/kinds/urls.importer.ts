import type { ImportFindings } from '../findings.ts';
import { type ImportSource, sourceText } from '../import-source.ts';
import type { Importer } from '../importer.ts';
import type { Monitor } from '../monitor.ts';
import { arrives } from '../setting-rows.ts';
import { isUrl } from '../../kernel/url.ts';

const MOST_LINES = 100_000;

/** An address a line, its name behind it; `#` begins a comment. */
export const urlsImporter: Importer = {
  product: 'A list of URLs',
  source: 'a file with an address a line, and a name behind it where it has one',
  settings: {
    address: arrives('the address of a check that expects status 200'),
    'name behind it': arrives('the name of the check; without one, the path of the address'),
  },
  read: (source, { findings }) => ({ monitors: monitorsOfUrls(listedUrls(source, findings)) }),
};

interface ListedUrl {
  readonly url: string;
  readonly name?: string;
}

function listedUrls(source: ImportSource, findings: ImportFindings): readonly ListedUrl[] {
  const lines = sourceText(source).split(/\r\n|\r|\n/);
  if (lines.length > MOST_LINES) findings.leaveOut(`line ${String(MOST_LINES + 1)} and later`, 'a list has at most 100,000 lines');
  return lines.slice(0, MOST_LINES).flatMap((line): readonly ListedUrl[] => {
    const [, url = '', name = ''] = /^\s*([^\s#]\S*)?\s*(.*?)\s*$/.exec(line.replace(/^\ufeff/, '')) ?? [];
    if (url === '') return [];
    const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
    return [{ url: absolute, ...(name !== '' && !name.startsWith('#') && { name }) }];
  });
}

/** Each address once; named by its path where it has no name. */
export function monitorsOfUrls(listed: readonly ListedUrl[]): readonly Monitor[] {
  const seen = new Set<string>();
  return listed.flatMap(({ url, name }): readonly Monitor[] => {
    const parsed = isUrl(url) ? new URL(url) : null;
    const id = parsed?.href ?? url;
    if (seen.has(id)) return [];
    seen.add(id);
    const path = parsed === null ? url : `${parsed.pathname}${parsed.search}`;
    return [{ id, name: name ?? path, url, rules: [{ type: 'status', op: 'eq', val: '200' }] }];
  });
}
