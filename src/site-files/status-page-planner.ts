import { Injectable } from '@nestjs/common';
import { draftsOnly, itemsOf, noColors, noWords, type StatusGroup, type StatusPageSettings } from '../status-pages/status-page.settings.ts';
import { SlugTaken } from '../status-pages/status-page.decider.ts';
import { InvalidInput } from '../kernel/errors.ts';
import type { Sealed } from '../kernel/event.ts';
import { type StatusPageRow, statusPageView, statusPageRowTag } from '../status-pages/status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { isPassword } from '../accounts/passwords/passwords.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { Forbidden, NotFound } from '../platform/http/errors/refusals.ts';
import { requireScopes } from '../accounts/rights/scopes.ts';
import { statusPagePassword, statusPageSettings } from '../status-pages/status-page.dto.ts';
import { StatusPageRights } from '../status-pages/status-page-rights.ts';
import { type ComparedFields, differences } from '../history/compare/diff.ts';
import { keyedHash } from './planned-site.ts';
import type { SiteChange } from './site-changes.ts';
import type { SitePlanOptions } from './site-planner.ts';
import type { StatusPageFile, StatusPageFileItem } from './status-page-file.dto.ts';
import { type ItemReference, StatusPageItems } from './status-page-items.ts';

export interface PlannedStatusPage {
  readonly file: string;
  readonly page: StatusPageFile;
  /** Null when it does not exist yet. */
  readonly row: StatusPageRow | null;
  /** Null while `missing` has any. */
  readonly settings: StatusPageSettings | null;
  /** In the clear; undefined: it stays, null: it has none. */
  readonly password: string | null | undefined;
  /** What items name and what does not exist, as before the projects of the same files are made. */
  readonly missing: readonly ItemReference[];
  readonly changes: readonly SiteChange[];
  /** Names what the plan changes, and from what. */
  readonly token: string;
}

type Spelled = readonly { readonly name: string; readonly items: readonly (ItemReference & { readonly name: string })[] }[];

/** Plans what files change of status pages, which are found by their slugs among those that the caller may edit. */
@Injectable()
export class StatusPagePlanner {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly rights: StatusPageRights,
    private readonly items: StatusPageItems,
  ) {}

  /** Refuses what the API would refuse, too. */
  async plan(
    caller: Principal,
    file: string,
    page: StatusPageFile,
    { secrets, keepSecrets }: Pick<SitePlanOptions, 'secrets' | 'keepSecrets'>,
  ): Promise<PlannedStatusPage> {
    const row = await this.rowOf(caller, page.slug);
    const password = passwordOf(page, secrets, keepSecrets);
    if (page.access === 'password' && (password === null || (password === undefined && !row?.password)))
      throw new InvalidInput('statusPage.password: is required where access is "password"');
    const named = page.groups.flatMap(({ items }) => items);
    const found = await this.items.found(caller, named);
    const missing = named.filter((_, index) => found[index] === null).map(({ name: _, ...reference }) => reference);
    const resolved = await this.rights.resolved(
      caller,
      found.flatMap((item) => (item === null ? [] : [{ name: item.name, [item.kind]: item.id }])),
    );
    refuseTwice(resolved);
    const groups = groupsOf(page, found);
    const settings = missing.length > 0 ? null : statusPageSettings(page, groups as readonly StatusGroup[]);
    const spelled = await this.spelled(page, found, row);
    const isOther = await this.isOtherPassword(row, password);
    const changes = changesOf(page, row, spelled, isOther);
    if (changes.length > 0) this.requireRights(caller);
    const from = row === null ? null : [row.pageId, statusPageRowTag(row), row.password?.sealed ?? null];
    const token = keyedHash(await this.secrets.secret('object-ids'), ['status page', from, page, password ?? null]).slice(0, 32);
    return { file, page, row, settings, password, missing, changes, token };
  }

  private async rowOf(caller: Principal, slug: string): Promise<StatusPageRow | null> {
    const [item] = await this.views.now().list(statusPageView, { where: { slug: { eq: slug } }, parked: 'as before' });
    if (item === undefined) return null;
    try {
      return await this.rights.requirePage(caller, item.row.pageId);
    } catch (error) {
      throw error instanceof NotFound ? new SlugTaken(slug) : error;
    }
  }

  private requireRights(caller: Principal): void {
    requireScopes(caller, ['edit']);
    if (caller.systemRole === 'auditor') throw new Forbidden();
  }

  /** The groups of today and those of the file, in the words of a file. */
  private async spelled(
    page: StatusPageFile,
    found: Awaited<ReturnType<StatusPageItems['found']>>,
    row: StatusPageRow | null,
  ): Promise<{ readonly before: Spelled; readonly after: Spelled }> {
    const today = row === null ? [] : itemsOf(row.settings);
    const known = [...today, ...found.flatMap((item) => item ?? [])];
    const spelled = await this.items.spelled(known);
    const byId = new Map(known.map(({ kind, id }, index) => [`${kind} ${id}`, spelled[index]]));
    const before = (row?.settings.groups ?? []).map(({ name, items }) => ({
      name,
      items: items.map((item) => ({ name: item.name, ...(byId.get(`${item.kind} ${item.id}`) ?? { project: item.projectId }) })),
    }));
    let place = 0;
    const after = page.groups.map(({ name, items }) => ({
      name,
      items: items.map((item) => {
        const known = found[place++];
        return known ? { name: item.name, ...(byId.get(`${known.kind} ${known.id}`) ?? { project: known.projectId }) } : asWritten(item);
      }),
    }));
    return { before, after };
  }

  /** A password is saved as a hash: the given one is verified against it. */
  private async isOtherPassword(row: StatusPageRow | null, password: string | null | undefined): Promise<boolean> {
    if (password === undefined) return false;
    const hash = row?.password ? await this.keyring.open(row.password) : null;
    if (hash === null || password === null) return hash !== password;
    return !(await isPassword(hash, password));
  }
}

const asWritten = ({ name, project, group, check }: StatusPageFileItem): Spelled[number]['items'][number] => ({
  name,
  project,
  ...(group !== undefined && { group }),
  ...(check !== undefined && { check }),
});

function passwordOf({ password }: StatusPageFile, secrets: SitePlanOptions['secrets'], keep: boolean): string | null | undefined {
  if (password === undefined) return null;
  const value = secrets[password.slice(2, -1)];
  if (value === undefined && keep) return undefined;
  if (value === undefined) throw new InvalidInput(`statusPage.password: ${password} has no value`);
  if (!statusPagePassword.accepts(value, {})) throw new InvalidInput(`statusPage.password: ${password} must have 8 to 200 characters`);
  return value;
}

function refuseTwice(items: readonly { readonly id: string; readonly name: string }[]): void {
  const twice = items.find(({ id }, index) => items.findIndex((other) => other.id === id) !== index);
  if (twice !== undefined) throw new InvalidInput(`statusPage.groups: the item "${twice.name}" shows what another one shows`);
}

function groupsOf<Item>(
  page: StatusPageFile,
  found: readonly Item[],
): readonly { readonly name: string; readonly items: readonly Item[] }[] {
  let place = 0;
  return page.groups.map(({ name, items }) => ({ name, items: found.slice(place, (place += items.length)) }));
}

const initialFields: ComparedFields = {
  slug: '',
  title: '',
  access: 'public',
  languages: ['en'],
  words: noWords,
  colors: noColors,
  automatic: draftsOnly,
  groups: [],
  password: null,
};

/** Stands for a password, which no answer shows. */
const HIDDEN: Sealed = { subject: '', sealed: '' };

function changesOf(
  page: StatusPageFile,
  row: StatusPageRow | null,
  { before, after }: { readonly before: Spelled; readonly after: Spelled },
  isOtherPassword: boolean,
): readonly SiteChange[] {
  const saved = row?.password ?? null;
  const wanted = isOtherPassword ? (page.password === undefined ? null : HIDDEN) : saved;
  const from = row === null ? initialFields : { ...row.settings, groups: before, password: saved };
  const to = { ...statusPageSettings(page, []), groups: after, password: wanted };
  const fields = differences(new Map([['', from]]), new Map([['', to]])).map((field) => ({ ...field, path: field.path.slice(1) }));
  if (row !== null && fields.length === 0) return [];
  const name = row?.settings.title ?? page.title;
  return [{ action: row === null ? 'create' : 'change', kind: 'statusPage', id: row?.pageId ?? null, name, fields }];
}
