import type { Schemas } from '../../client/types.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { GivenSite, GivenStatusPage } from '../../http/site-files/read-site-files.ts';
import { referencesIn, type SecretValues } from '../../http/site-files/secret-references.ts';

/** A site or a status page as it is sent: its document, without the values of its secrets. */
export interface SentSite {
  /** Of a status page `status-page:SLUG`. */
  readonly key: string;
  readonly name: string;
  readonly text: string;
  /** References of its secret fields, such as `env:NAME`. */
  readonly references: readonly string[];
}

export const sentSite = ({ file, site, value }: GivenSite): SentSite => ({
  ...{ key: site.key, name: file, text: JSON.stringify(value) },
  references: referencesIn(site),
});

export const sentPage = ({ file, page, value }: GivenStatusPage): SentSite => ({
  ...{ key: pageKeyOf(page), name: file, text: JSON.stringify(value) },
  references: page.password === undefined ? [] : [page.password.slice(2, -1)],
});

export const pageKeyOf = ({ slug }: { readonly slug: string }): string => `status-page:${slug}`;
const isPageKey = (key: string): boolean => key.startsWith('status-page:');

export interface SiteRequest {
  readonly isOfPages: boolean;
  readonly keys: readonly string[];
  readonly files: Schemas['SitePlanRequest']['files'];
}

/** Bodies stay within 1 MiB, and a request takes some seconds at most. */
const MAX_BYTES = 900 * 1024;
const MAX_SITES = 50;

/** Many sites in several requests, with the values of their secrets. `keep`: those without a value stay as they are. */
export function siteRequests(
  sites: readonly SentSite[],
  valuesOf: (file: string) => SecretValues,
  { keep = false } = {},
): readonly SiteRequest[] {
  const requests: { isOfPages: boolean; keys: string[]; files: SiteRequest['files'][number][]; bytes: number }[] = [];
  const missing: string[] = [];
  for (const { key, name, text, references } of sites) {
    const valueOf = valuesOf(name);
    const values = references.map((reference) => [reference, valueOf(reference)] as const);
    missing.push(...values.filter(([, value]) => value === null && !keep).map(([reference]) => `${name}: \${${reference}} has no value`));
    const secrets = Object.fromEntries(values.filter((entry): entry is readonly [string, string] => entry[1] !== null));
    const file = { name, text, secrets };
    const bytes = Buffer.byteLength(JSON.stringify(file));
    let last = requests.at(-1);
    const isOfPages = isPageKey(key);
    if (last?.isOfPages !== isOfPages || last.files.length >= MAX_SITES || last.bytes + bytes > MAX_BYTES) {
      last = { isOfPages, keys: [], files: [], bytes: 0 };
      requests.push(last);
    }
    last.keys.push(key);
    last.files.push(file);
    last.bytes += bytes;
  }
  if (missing.length > 0) throw new InvalidInput(missing.map((message) => ({ message })));
  return requests;
}
