import { Injectable } from '@nestjs/common';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import type { EventMeta, LogEvent } from '../kernel/event.ts';
import { accountView } from '../accounts/account.view.ts';
import { areaView } from '../projects/areas/area.view.ts';
import type { CheckEvents } from '../projects/checks/check.events.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import type { ObjectNames } from '../kernel/sentence.ts';

/** The part of an event from which the ids to name are read. */
export type NamingEvent = Pick<LogEvent, 'data' | 'scope'> & { readonly meta: Pick<EventMeta, 'actor'> };

export interface ReadNames extends ObjectNames {
  /** Null for an erased account. */
  actor(event: NamingEvent): string | null;
}

const SERVICE_ACTORS: Readonly<Record<string, string>> = {
  checker: 'Checker',
  scheduler: 'Scheduler',
  reactor: 'Reactor',
  cli: 'Command line',
};

const ID_LENGTH = 24;
/** Deleted checks of which the names are looked up for one answer, the latest first. */
const MOST_DELETED = 1_000;

/** Reads today's names of everything that a page of events refers to, and the last one of a check that was deleted. */
@Injectable()
export class NamesReader {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly searcher: LogSearcher,
  ) {}

  async read(events: readonly NamingEvent[], known = new KnownNames()): Promise<ReadNames> {
    const views = this.views.now();
    known.forgetOld();
    await Promise.all([
      learn(known.checks, idsIn(events, ['checkId']), async (ids) => {
        const rows = await views.many(checkView, ids);
        const deleted = await this.deletedChecks(events, new Set(ids.filter((id) => !rows.has(id))));
        return (id) => nameOf(rows.get(id)?.settings.name, rows.get(id)?.settings.url ?? nameOf(deleted.get(id), id));
      }),
      learn(known.areas, idsIn(events, ['areaId', 'from', 'to']), async (ids) => {
        const rows = await views.many(areaView, ids);
        return (id) => nameOf(rows.get(id)?.settings.name, id);
      }),
      learn(known.users, usersIn(events), (ids) => this.users(ids)),
    ]);
    return {
      check: (id) => known.checks.get(id) ?? id,
      area: (id) => known.areas.get(id) ?? id,
      user: (id) => known.users.get(String(id)) ?? `user ${String(id)}`,
      actor: ({ meta: { actor } }) =>
        actor.kind === 'user' || actor.kind === 'token'
          ? (known.users.get(actor.id) ?? null)
          : (actor.name ?? SERVICE_ACTORS[actor.kind] ?? null),
    };
  }

  /** The event of its end has the last name of a check. */
  private async deletedChecks(events: readonly NamingEvent[], ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    if (ids.size === 0) return new Map();
    const scopes = [...new Set(events.filter(({ data }) => ids.has(String(fieldOf(data, 'checkId')))).map(({ scope }) => scope))];
    const any = { after: -1, before: Number.MAX_SAFE_INTEGER, stream: null, actors: [], direction: 'desc', limit: MOST_DELETED } as const;
    const ends = await this.searcher.find({ ...any, scopes, types: ['CheckDeleted'] });
    // Cast: the only type that was asked for.
    return new Map(ends.map(({ data }) => data as CheckEvents['CheckDeleted']).map(({ checkId, name }) => [checkId, name]));
  }

  private async users(ids: readonly string[]): Promise<(id: string) => string | null> {
    const rows = await this.views.now().many(accountView, ids);
    const opened = new Map(await Promise.all([...rows].map(async ([id, row]) => [id, await this.keyring.open(row.name)] as const)));
    return (id) => opened.get(id) ?? null;
  }
}

/** A client may read an answer for hours: later events are shown with the names of their time. */
const NAMES_KEPT_MS = 1_000;

/** The names that earlier events of an answer needed. */
export class KnownNames {
  readonly checks = new Map<string, string>();
  readonly areas = new Map<string, string>();
  /** Null for an erased account. */
  readonly users = new Map<string, string | null>();
  private since = performance.now();

  forgetOld(): void {
    const now = performance.now();
    if (now - this.since < NAMES_KEPT_MS) return;
    for (const names of [this.checks, this.areas, this.users]) names.clear();
    this.since = now;
  }
}

async function learn<Name>(
  known: Map<string, Name>,
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<(id: string) => Name>,
): Promise<void> {
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const nameById = await read(unknown);
  for (const id of unknown) known.set(id, nameById(id));
}

const nameOf = (name: string | undefined, otherwise: string): string => (name === undefined || name === '' ? otherwise : name);

const fieldOf = (data: object, name: string): unknown => (Object.hasOwn(data, name) ? data[name as keyof typeof data] : undefined);

function idsIn(events: readonly NamingEvent[], names: readonly string[]): readonly string[] {
  const ids = new Set<string>();
  for (const { data } of events)
    for (const name of names) {
      const id = fieldOf(data, name);
      if (typeof id === 'string' && id.length === ID_LENGTH && /^[0-9a-f]+$/.test(id)) ids.add(id);
    }
  return [...ids];
}

function usersIn(events: readonly NamingEvent[]): readonly string[] {
  const ids = new Set<string>();
  for (const { data, meta } of events) {
    if (meta.actor.kind === 'user' || meta.actor.kind === 'token') ids.add(meta.actor.id);
    for (const name of ['userId', 'from', 'to']) {
      const id = fieldOf(data, name);
      if (typeof id === 'number') ids.add(String(id));
    }
  }
  return [...ids];
}
