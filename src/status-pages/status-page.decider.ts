import { type Decider, ignoreUnknownEvent, type StreamTarget } from '../kernel/decider.ts';
import { DomainError, InvalidInput } from '../kernel/errors.ts';
import type { EventOf } from '../kernel/event.ts';
import { itemsOf, MAX_ITEMS, type StatusPageSettings, type StoredStatusPage } from './status-page.settings.ts';
import type { StatusPageEvents } from './status-page.events.ts';

export type StatusPageEvent = EventOf<StatusPageEvents>;

interface KnownPage extends StoredStatusPage {
  /** The account that created it. */
  readonly createdBy: number;
  readonly hosts: readonly string[];
}

/** By id. */
export type StatusPages = ReadonlyMap<string, KnownPage>;

function evolve(pages: StatusPages, event: StatusPageEvent): StatusPages {
  switch (event.type) {
    case 'StatusPageCreated': {
      const { pageId, ...page } = event.data;
      return new Map(pages).set(pageId, { ...page, createdBy: page.by, hosts: [] });
    }
    case 'StatusPageChanged': {
      const { pageId, ...page } = event.data;
      const { createdBy = page.by, hosts = [] } = pages.get(pageId) ?? {};
      return new Map(pages).set(pageId, { ...page, createdBy, hosts });
    }
    case 'StatusPageHostsSet': {
      const known = pages.get(event.data.pageId);
      return known === undefined ? pages : new Map(pages).set(event.data.pageId, { ...known, hosts: event.data.hosts });
    }
    case 'StatusPageDeleted':
      return new Map([...pages].filter(([id]) => id !== event.data.pageId));
    default:
      return ignoreUnknownEvent(event, pages);
  }
}

export class StatusPageNotFound extends DomainError {
  readonly code = 'STATUS_PAGE_NOT_FOUND';

  constructor() {
    super('The status page was not found.');
  }
}

export class SlugTaken extends DomainError {
  readonly code = 'SLUG_TAKEN';

  constructor(slug: string) {
    super(`slug: "${slug}" is the slug of another status page.`);
  }
}

export class HostTaken extends DomainError {
  readonly code = 'HOST_TAKEN';

  constructor(host: string) {
    super(`hosts: "${host}" is a host of another status page.`);
  }
}

export class TooManyStatusPages extends DomainError {
  readonly code = 'TOO_MANY_STATUS_PAGES';
}

/** The first pages of an account, which pages of others never use up. */
const OWN_PAGES = 3;
/** The limit of the installation for all further ones, which bounds the state that every change is decided on. */
const MAX_FURTHER_PAGES = 1_000;

/** `most`: pages that one account may have created. */
export function createStatusPage(
  pages: StatusPages,
  wanted: StatusPageEvents['StatusPageCreated'],
  most: number,
): readonly StatusPageEvent[] {
  if (pages.has(wanted.pageId)) return [];
  refuseInvalid(pages, wanted.pageId, wanted);
  const created = new Map<number, number>();
  for (const { createdBy } of pages.values()) created.set(createdBy, (created.get(createdBy) ?? 0) + 1);
  const own = created.get(wanted.by) ?? 0;
  if (own >= most) throw new TooManyStatusPages(`An account may create at most ${String(most)} status pages. Delete one first.`);
  const further = [...created.values()].reduce((sum, count) => sum + Math.max(0, count - OWN_PAGES), 0);
  if (own >= OWN_PAGES && further >= MAX_FURTHER_PAGES)
    throw new TooManyStatusPages(
      `This installation has ${String(MAX_FURTHER_PAGES)} status pages beyond the first ${String(OWN_PAGES)} of each account, the most that it may have.`,
    );
  return [{ type: 'StatusPageCreated', data: wanted }];
}

export function changeStatusPage(
  pages: StatusPages,
  pageId: string,
  change: (before: StoredStatusPage) => StoredStatusPage,
): readonly StatusPageEvent[] {
  const before = required(pages, pageId);
  const wanted = change(before);
  refuseInvalid(pages, pageId, wanted);
  return spelled(before) === spelled(wanted) ? [] : [{ type: 'StatusPageChanged', data: { ...storedOf(wanted), pageId } }];
}

export function setHosts(pages: StatusPages, pageId: string, hosts: readonly string[]): readonly StatusPageEvent[] {
  const found = pages.get(pageId);
  if (found === undefined) throw new StatusPageNotFound();
  const twice = hosts.find((host, index) => hosts.indexOf(host) !== index);
  if (twice !== undefined) throw new InvalidInput(`hosts: "${twice}" is named twice`);
  for (const [id, page] of pages) {
    const taken = id === pageId ? undefined : page.hosts.find((host) => hosts.includes(host));
    if (taken !== undefined) throw new HostTaken(taken);
  }
  return found.hosts.join() === hosts.join() ? [] : [{ type: 'StatusPageHostsSet', data: { pageId, hosts } }];
}

export function deleteStatusPage(pages: StatusPages, pageId: string): readonly StatusPageEvent[] {
  const { slug } = required(pages, pageId);
  return [{ type: 'StatusPageDeleted', data: { pageId, slug } }];
}

export function required(pages: StatusPages, pageId: string): StoredStatusPage {
  const found = pages.get(pageId);
  if (found === undefined) throw new StatusPageNotFound();
  return found;
}

function refuseInvalid(pages: StatusPages, pageId: string, wanted: StoredStatusPage): void {
  for (const [id, { slug }] of pages) if (id !== pageId && slug === wanted.slug) throw new SlugTaken(slug);
  if (wanted.access === 'password' && wanted.password === null) throw new InvalidInput('password: is required where access is "password"');
  const ids = itemsOf(wanted).map(({ id }) => id);
  if (ids.length > MAX_ITEMS)
    throw new InvalidInput(`groups: a page may have at most ${String(MAX_ITEMS)} items in all; found ${String(ids.length)}`);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new InvalidInput(`groups: "${twice}" stands on the page twice`);
}

const storedOf = ({
  slug,
  title,
  access,
  languages,
  groups,
  words,
  colors,
  automatic,
  password,
  by,
}: StoredStatusPage): StoredStatusPage => ({
  slug,
  title,
  access,
  languages,
  groups,
  words,
  colors,
  automatic,
  password,
  by,
});

/** The settings alone, in one order of their members. */
export const statusPageSettingsOf = ({
  slug,
  title,
  access,
  languages,
  groups,
  words,
  colors,
  automatic,
}: StatusPageSettings): StatusPageSettings => ({
  slug,
  title,
  access,
  languages,
  groups: groups.map(({ name, items }) => ({
    name,
    items: items.map(({ name: shown, kind, id, projectId }) => ({ name: shown, kind, id, projectId })),
  })),
  words: { about: words.about, footer: words.footer },
  colors: { light: colors.light, dark: colors.dark },
  automatic: { draft: automatic.draft, publishAfterMinutes: automatic.publishAfterMinutes, resolve: automatic.resolve },
});

/** By value: members of a stored event may come in another order. */
const spelled = (page: StoredStatusPage): string =>
  JSON.stringify([statusPageSettingsOf(page), page.password?.subject, page.password?.sealed, page.by]);

export const statusPages: Decider<StatusPages, StatusPageEvent> = { initial: new Map(), evolve };

export const statusPagesTarget: StreamTarget<StatusPages, StatusPageEvent> = {
  stream: 'status-pages',
  scope: 'system',
  decider: statusPages,
};
