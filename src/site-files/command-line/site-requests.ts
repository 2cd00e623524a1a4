import type { Schemas } from '../../client/types.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { GivenSite, GivenStatusPage } from '../read-site-files.ts';
import { referencesIn, type SecretValues } from '../secret-references.ts';

/** A site or a status page as it is sent: its document, without the values of its secrets. */
export interface SentSite {
  /** The key of a site, or `status-page:SLUG` for a status page. */
  readonly key: string;
  readonly name: string;
  readonly text: string;
  /** References of its secret fields, such as `env:NAME`. */
  readonly references: readonly string[];
}

export const sentSite = ({ file, site, value }: GivenSite): SentSite => ({
  key: site.key,
  name: file,
  text: JSON.stringify(value),
  references: referencesIn(site),
});

export const sentPage = ({ file, page, value }: GivenStatusPage): SentSite => ({
  key: pageKeyOf(page),
  name: file,
  text: JSON.stringify(value),
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
/** The limit of one site, because the service takes 1 MiB with the rest of the request. */
const MAX_SITE_BYTES = 1020 * 1024;

/** Many sites in several requests, with the values of their secrets. `keep`: those without a value stay as they are. */
export function siteRequests(
  sites: readonly SentSite[],
  valuesOf: (file: string) => SecretValues,
  { keep = false } = {},
): readonly SiteRequest[] {
  const filling = new RequestFilling(valuesOf, keep);
  const full = sites.flatMap((site) => filling.add(site) ?? []);
  return [...full, ...filling.rest()];
}

const remedyOf = (reference: string): string =>
  reference.startsWith('env:')
    ? `set the variable ${reference.slice('env:'.length)}`
    : `its file, which is named relative to the site file, must be readable and at most 1 MiB`;

interface OpenRequest {
  readonly isOfPages: boolean;
  readonly keys: string[];
  readonly files: SiteRequest['files'][number][];
  bytes: number;
}

/** Fills one request after the other. */
export class RequestFilling {
  private open: OpenRequest | null = null;
  private readonly problems: string[] = [];

  constructor(
    private readonly valuesOf: (file: string) => SecretValues,
    private readonly keep: boolean,
  ) {}

  /** Answers the request before, where that has no room for the site. */
  add({ key, name, text, references }: SentSite): SiteRequest | null {
    const valueOf = this.valuesOf(name);
    const values = references.map((reference) => [reference, valueOf(reference)] as const);
    const lacking = this.keep ? [] : values.filter(([, value]) => value === null);
    this.problems.push(
      ...lacking.map(
        ([reference]) =>
          `${name}: \${${reference}} has no value here; ${remedyOf(reference)}, or keep the saved secret with --keep-secrets`,
      ),
    );
    if (lacking.length > 0) return null;
    const secrets = Object.fromEntries(values.filter((entry): entry is readonly [string, string] => entry[1] !== null));
    const file = { name, text, secrets };
    const bytes = Buffer.byteLength(JSON.stringify(file));
    if (bytes > MAX_SITE_BYTES)
      this.problems.push(`${name}: ${key} is larger than a request may be, 1 MiB as JSON; divide it or shorten its texts`);
    const isOfPages = isPageKey(key);
    const { open } = this;
    if (open?.isOfPages === isOfPages && open.files.length < MAX_SITES && open.bytes + bytes <= MAX_BYTES) {
      open.keys.push(key);
      open.files.push(file);
      open.bytes += bytes;
      return null;
    }
    this.open = { isOfPages, keys: [key], files: [file], bytes };
    return open;
  }

  /** What is not full. Refuses where a reference of a site has no value, or a site does not fit into a request. */
  rest(): readonly SiteRequest[] {
    if (this.problems.length > 0) throw new InvalidInput(this.problems.map((message) => ({ message })));
    return this.open === null ? [] : [this.open];
  }
}
