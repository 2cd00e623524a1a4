import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryLog } from '../../../test/support/memory/memory-log.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { samples } from '../../../test/samples/samples.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { ChangeIncident, ChangeIncidentHandler } from '../incident.commands.ts';
import type { Events, EventType } from '../../events.ts';
import { type AutomaticIncidents, draftsOnly } from '../status-page.settings.ts';
import { projectStream, verdictStream } from '../../kernel/stream-names.ts';
import { randomId } from '../../kernel/ids.ts';
import { ConsumerStore } from '../../platform/consumers/consumer-store.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { type IncidentRow, incidentsView, stateOfIncident } from '../incidents.view.ts';
import { StatusDrafts } from './status-drafts.ts';

const ID = '0123456789abcdef01234567';
const SCOPE = projectStream(ID);
const PAGE = 'page';
const sample = samples(ID);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The process manager on a log in memory, with its checkpoint in Postgres. */
class World {
  now = Date.UTC(2026, 10, 21, 14);
  readonly store = new MemoryEventStore({ now: () => this.now });
  readonly views = new MemoryViews(() => this.store.events);
  readonly handler = new ChangeIncidentHandler(new CommandRunner(this.store), { secret: () => Promise.resolve(Buffer.alloc(32)) });
  private readonly revisions = new Map<string, number>();
  handled = 0;

  open(): StatusDrafts {
    const wake = new LocalWake();
    return new StatusDrafts({
      consumers: new ConsumerStore(database.pool),
      log: new MemoryLog(this.store, wake),
      wake,
      views: this.views,
      commands: { execute: (command) => this.handler.execute(command) },
      clock: { now: () => this.now },
    });
  }

  async happens<Type extends EventType>(stream: string, type: Type, data: Partial<Events[Type]> = {}): Promise<void> {
    const revision = this.revisions.get(stream) ?? -1;
    this.revisions.set(stream, revision + 1);
    const scope = stream === 'status-pages' ? 'system' : SCOPE;
    const meta = { actor: { kind: 'user', id: '1' }, correlationId: randomId(), causationId: null, commandId: randomId() } as const;
    const occurredAt = new Date(this.now).toISOString();
    const event = { id: randomId(), type, version: 1, scope, data: { ...sample[type], ...data }, meta: { ...meta, occurredAt } };
    await this.store.append(stream, revision === -1 ? 'no stream' : revision, [event]);
  }

  /** A project of account 1 with a group of two checks, and a page that shows site and group. */
  async begin(automatic: Partial<AutomaticIncidents> = {}): Promise<void> {
    await this.happens(SCOPE, 'ProjectCreated', { projectId: ID, payerId: 1 });
    for (const checkId of ['one', 'two']) {
      await this.happens(SCOPE, 'CheckCreated', { checkId, areaId: 'group' });
      await this.happens(verdictStream(checkId), 'CheckPassed', { checkId });
    }
    const items = [
      { name: 'Site', kind: 'project', id: ID, projectId: ID },
      { name: 'Both', kind: 'group', id: 'group', projectId: ID },
    ] as const;
    const page = {
      pageId: PAGE,
      by: 1,
      languages: ['en'],
      automatic: { ...draftsOnly, ...automatic },
      groups: [{ name: '', items }],
    } as const;
    await this.happens('status-pages', 'StatusPageCreated', page);
    this.handled = this.store.events.length;
  }

  /** Handles what has happened since. */
  async handle(drafts: StatusDrafts): Promise<void> {
    const batch = this.store.events.slice(this.handled);
    await drafts.consumer.handle(batch);
    this.handled += batch.length;
  }

  async incidents(): Promise<readonly IncidentRow[]> {
    return (await this.views.get(incidentsView, PAGE))?.incidents ?? [];
  }
}

let world: World;
let drafts: StatusDrafts;
beforeEach(async () => {
  await database.pool.query('TRUNCATE consumer, consumer_parked');
  world = new World();
  drafts = world.open();
});
const begin = async (automatic: Partial<AutomaticIncidents> = {}): Promise<void> => {
  await world.begin(automatic);
  await drafts.consumer.load();
};
const fails = (checkId: string) => world.happens(verdictStream(checkId), 'CheckFailed', { checkId, since: '2026-11-21T13:58:04.000Z' });
const recovers = (checkId: string) =>
  world.happens(verdictStream(checkId), 'CheckRecovered', { checkId, since: '2026-11-21T14:30:00.000Z' });

describe('drafts of incidents', () => {
  it('are made when an item fails, once for all of its checks, in the words of the page and in the chain of the verdict', async () => {
    await begin();
    await fails('one');
    await fails('two');
    await world.handle(drafts);
    const [draft, ...others] = await world.incidents();
    expect(others).toEqual([]);
    expect(draft).toMatchObject({
      ...{ title: 'Both is failing', publishedAt: null, isAutomatic: true, items: ['group'] },
      draft: { text: 'Our measurements have failed since 21 November 2026 at 13:58 UTC. We are looking into it.' },
    });
    const [failure, made] = [world.store.events.find(({ type }) => type === 'CheckFailed'), world.store.events.at(-1)];
    expect(made?.meta).toMatchObject({ actor: { kind: 'reactor' }, causationId: failure?.id });
  });

  it('are not made twice when a crash comes before the checkpoint, also after a person has discarded them', async () => {
    await begin();
    await fails('one');
    const batch = world.store.events.slice(world.handled);
    await drafts.consumer.handle(batch);
    const [draft] = await world.incidents();
    const discard = { kind: 'discard draft', incidentId: draft?.incidentId ?? '' } as const;
    await world.handler.execute(new ChangeIncident(systemContext({ kind: 'user', id: '1' }, world.now), { pageId: PAGE, change: discard }));
    await expect(world.open().consumer.handle(batch)).rejects.toThrow('checkpoint was moved');
    expect(await world.incidents()).toEqual([]);
  });

  it('end when the whole group has recovered, and stay when a person has changed them', async () => {
    await begin();
    await fails('one');
    await fails('two');
    await recovers('one');
    await world.handle(drafts);
    expect(await world.incidents()).toHaveLength(1);
    await recovers('two');
    await world.handle(drafts);
    expect(await world.incidents()).toEqual([]);
    await fails('one');
    await world.handle(drafts);
    const [draft] = await world.incidents();
    const words = { title: 'Mine', text: 'Mine', state: 'investigating', items: ['group'] } as const;
    const change = { kind: 'change draft', incidentId: draft?.incidentId ?? '', words } as const;
    await world.handler.execute(new ChangeIncident(systemContext({ kind: 'user', id: '1' }, world.now), { pageId: PAGE, change }));
    await recovers('one');
    await world.handle(drafts);
    expect(await world.incidents()).toMatchObject([{ title: 'Mine', isAutomatic: false }]);
  });

  it('are published after their time where the page wants that, and resolved after the recovery', async () => {
    await begin({ publishAfterMinutes: 5, resolve: true });
    await fails('one');
    await world.handle(drafts);
    world.now += 4 * 60_000;
    await drafts.publishDue();
    expect((await world.incidents())[0]?.publishedAt).toBeNull();
    world.now += 60_000;
    await drafts.publishDue();
    await drafts.publishDue();
    expect((await world.incidents())[0]).toMatchObject({ updates: [{ state: 'investigating' }] });
    await recovers('one');
    await world.handle(drafts);
    const [incident] = await world.incidents();
    expect(incident && stateOfIncident(incident)).toBe('resolved');
    expect(incident?.updates.at(-1)?.wordings).toMatchObject([
      { text: 'Our measurements pass again since 21 November 2026 at 14:30 UTC.' },
    ]);
  });

  it('are made for a site, not for one that never answered, and not of a project that the responsible account has left', async () => {
    await begin();
    await world.happens(`uptime-${ID}`, 'UptimeWentDown', { before: 'unknown' });
    await world.handle(drafts);
    expect(await world.incidents()).toEqual([]);
    await world.happens(`uptime-${ID}`, 'UptimeWentDown', { before: 'up' });
    await world.handle(drafts);
    expect(await world.incidents()).toMatchObject([{ title: 'Site is failing', items: [ID] }]);
    await world.happens(SCOPE, 'MemberRemoved', { userId: 1 });
    await fails('one');
    await world.handle(drafts);
    expect(await world.incidents()).toHaveLength(1);
  });

  it('are not made where the page wants none', async () => {
    await begin({ draft: false });
    await fails('one');
    await world.handle(drafts);
    expect(await world.incidents()).toEqual([]);
  });
});
