import { Inject, Injectable } from '@nestjs/common';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import { areaView } from '../../projections/read-models/area/area.view.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import type { ObjectNames } from './sentences/sentence.ts';

export interface ReadNames extends ObjectNames {
  /** Null for an erased account. */
  actor(event: LogEvent): string | null;
}

const SERVICE_ACTORS: Readonly<Record<string, string>> = {
  checker: 'Checker',
  scheduler: 'Scheduler',
  reactor: 'Reactor',
  cli: 'Command line',
};

const ID_LENGTH = 24;

/** Looks up today's names of everything that a page of events refers to. */
@Injectable()
export class NamesReader {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(KEYRING) private readonly keyring: Keyring,
  ) {}

  async read(events: readonly LogEvent[]): Promise<ReadNames> {
    const views = this.views.now();
    const [checks, areas, users] = await Promise.all([
      views.many(checkView, idsIn(events, ['checkId'])),
      views.many(areaView, idsIn(events, ['areaId', 'from', 'to'])),
      this.users(events),
    ]);
    return {
      check: (id) => nameOf(checks.get(id)?.settings.name, id),
      area: (id) => nameOf(areas.get(id)?.settings.name, id),
      user: (id) => users.get(String(id)) ?? `user ${String(id)}`,
      actor: ({ meta: { actor } }) =>
        actor.kind === 'user' || actor.kind === 'token'
          ? (users.get(actor.id) ?? null)
          : (actor.name ?? SERVICE_ACTORS[actor.kind] ?? null),
    };
  }

  private async users(events: readonly LogEvent[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Set<string>();
    for (const { data, meta } of events) {
      if (meta.actor.kind === 'user' || meta.actor.kind === 'token') ids.add(meta.actor.id);
      for (const name of ['userId', 'from', 'to']) {
        const id = fieldOf(data, name);
        if (typeof id === 'number') ids.add(String(id));
      }
    }
    const rows = await this.views.now().many(accountView, [...ids]);
    const opened = await Promise.all([...rows].map(async ([id, row]) => [id, await this.keyring.open(row.name)] as const));
    return new Map(opened.flatMap(([id, name]) => (name === null ? [] : [[id, name] as const])));
  }
}

const nameOf = (name: string | undefined, id: string): string => (name === undefined || name === '' ? id : name);

const fieldOf = (data: object, name: string): unknown => (Object.hasOwn(data, name) ? data[name as keyof typeof data] : undefined);

function idsIn(events: readonly LogEvent[], names: readonly string[]): readonly string[] {
  const ids = new Set<string>();
  for (const { data } of events)
    for (const name of names) {
      const id = fieldOf(data, name);
      if (typeof id === 'string' && id.length === ID_LENGTH && /^[0-9a-f]+$/.test(id)) ids.add(id);
    }
  return [...ids];
}
