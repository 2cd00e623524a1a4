import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { sampleAt } from '../../test/support/observations/sample.ts';
import { samples } from '../../test/samples/samples.ts';
import type { Events, EventType } from '../events.ts';
import { draftsOnly, noColors, noWords } from './status-page.settings.ts';
import { projectStream, verdictStream } from '../kernel/stream-names.ts';
import { PostgresEventStore } from '../platform/event-store/postgres/postgres-event-store.ts';
import { randomId } from '../kernel/ids.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { PostgresLog } from '../platform/log/postgres-log.ts';
import { packDay } from '../platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../kernel/time.ts';
import { PackCompactor } from '../platform/observations/packs/pack-compactor.ts';
import { PostgresSamples, sampleKind } from '../platform/observations/samples/postgres-samples.ts';
import { LocalWake } from '../platform/postgres/wake.ts';
import { coreViews } from '../app/projection-table.ts';
import { type StatusPageRow, statusPageView } from './status-page.view.ts';
import { viewUnit } from '../platform/read-models/views/unit.ts';
import { UnitViews } from '../platform/read-models/views/unit-views.ts';
import { ViewRunner } from '../platform/read-models/views/view-runner.ts';
import { ensureViewTables, finishViewTables } from '../platform/read-models/views/view-tables.ts';
import { type ItemStatus, itemsOfPage } from './model.ts';
import { PageReading } from './page-reading.ts';
import { PublicPages } from './public-pages.ts';
import { PageLinks } from './page/page-address.ts';
import { RecordReading } from './record-reading.ts';

const ID = '0123456789abcdef01234567';
const MINUTE = 60_000;
const NOW = Date.now();
const [SCOPE, UPTIME] = [projectStream(ID), `uptime-${ID}`];
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * MINUTE).toISOString();
const unit = viewUnit('spec', coreViews);
const sample = samples(ID);

let database: TestDatabase;
let store: PostgresEventStore;
let runner: ViewRunner;
let views: UnitViews;
let reading: PageReading;
let records: RecordReading;
const revisions = new Map<string, number>();

beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  const log = new PostgresLog(pool, new LocalWake());
  store = new PostgresEventStore(pool, new LocalWake());
  await ensureViewTables(pool, unit);
  await finishViewTables(pool, unit);
  runner = new ViewRunner(unit, log, pool);
  views = new UnitViews(unit, log, pool, () => runner.position);
  await runner.begin();
  const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
  reading = new PageReading(pool, log, new PostgresSamples(pool), secrets, new LogSearcher(pool));
  records = new RecordReading(new LogSearcher(pool), views, log);
  // Up for two hours, then ten minutes without a probe, then down for half an hour.
  const outcomes = Array.from({ length: 160 }, (_, minute) =>
    sampleAt(NOW - (160 - minute) * MINUTE, { outcome: minute >= 130 ? 'down' : 'up' }),
  ).filter((_, minute) => minute < 120 || minute >= 130);
  await new PackCompactor(pool, sampleKind).write(ID, outcomes);
  await happens(SCOPE, 'ProjectCreated', { projectId: ID, payerId: 1 });
  await happens(UPTIME, 'UptimeBegan', { since: at(160) });
  for (const checkId of ['one', 'two']) {
    await happens(
      SCOPE,
      'CheckCreated',
      { checkId, areaId: 'group', settings: { ...sample.CheckCreated.settings, enabled: true } },
      at(120),
    );
    await happens(verdictStream(checkId), 'CheckPassed', { checkId, since: at(100) });
  }
  await happens('status-pages', 'StatusPageCreated', {
    ...{
      pageId: 'page',
      slug: 'shop',
      title: 'Shop',
      access: 'public',
      languages: ['en'],
      words: noWords,
      colors: noColors,
      automatic: draftsOnly,
      password: null,
      by: 1,
    },
    groups: [
      {
        name: '',
        items: [
          { name: 'Site', kind: 'project', id: ID, projectId: ID },
          { name: 'Both', kind: 'group', id: 'group', projectId: ID },
          { name: 'One', kind: 'check', id: 'one', projectId: ID },
        ],
      },
    ],
  });
});
afterAll(() => database.drop());

/** Appends an event, with the fields of its sample unless given, and applies it; answers its position. */
async function happens<Type extends EventType>(
  stream: string,
  type: Type,
  data: Partial<Events[Type]>,
  occurredAt = at(0),
): Promise<number> {
  const revision = revisions.get(stream) ?? -1;
  revisions.set(stream, revision + 1);
  const scope = stream === 'status-pages' ? 'system' : SCOPE;
  const meta = {
    actor: { kind: 'user', id: '1' },
    correlationId: randomId(),
    causationId: null,
    commandId: randomId(),
    occurredAt,
  } as const;
  const event = { id: randomId(), type, version: 1, scope, data: { ...sample[type], ...data }, meta };
  await store.append(stream, revision === -1 ? 'no stream' : revision, [event]);
  while ((await runner.applyNext(new AbortController().signal)) > 0);
  return runner.position;
}

async function page(): Promise<StatusPageRow> {
  const row = await views.now().get(statusPageView, 'page');
  if (row === null) throw new Error('the page is missing');
  return row;
}
async function read(now = NOW): Promise<readonly ItemStatus[]> {
  return itemsOfPage(await reading.read(await page(), { views: views.now(), at: now, present: null }));
}
/** The page as outsiders get it as of an instant. */
async function past(instant: string): Promise<string> {
  // Casts: nothing else is used by pages of the past.
  const none = {} as never;
  const pages = new PublicPages(none, reading, records, none, views, new PostgresLog(database.pool, new LocalWake()), none);
  const reader = { language: 'en', links: new PageLinks('/status/shop') } as const;
  const model = await reading.read(await page(), { views: views.now(), at: NOW, present: null });
  const served = { page: await page(), model, staleSince: null, bodies: new Map(), checkedAt: 0, readAt: 0 };
  return (await pages.asOf(served, instant, reader)).body.plain.toString();
}
const states = (items: readonly ItemStatus[]): readonly string[] => items.map(({ state }) => state);
const downMinutes = ({ days }: ItemStatus): number => Math.round(days.reduce((sum, { downMs }) => sum + downMs, 0) / MINUTE);

describe('what a status page says of its items', () => {
  let beforeFailure: number;

  it('fails from the first failing measurement on, as soon as the record has it', async () => {
    expect(states(await read())).toEqual(['working', 'working', 'working']);
    beforeFailure = runner.position;
    const n = await happens(UPTIME, 'UptimeWentDown', { since: at(30), outcome: 'down', before: 'up' });
    const two = await happens(verdictStream('two'), 'CheckFailed', { checkId: 'two', since: at(20) });
    const [site, both, one] = await read();
    expect(site).toMatchObject({ state: 'failing', since: NOW - 30 * MINUTE, recorded: { n } });
    expect(both).toMatchObject({ state: 'failing', since: NOW - 20 * MINUTE, recorded: { n: two } });
    expect(one?.state).toBe('working');
    expect([site, both, one].map((item) => item && downMinutes(item))).toEqual([30, 20, 0]);
  });

  it('knows nothing of the time between two measurements that are too far apart', async () => {
    const [site] = await read();
    const known = site?.days.reduce((sum, { upMs, downMs }) => sum + upMs + downMs, 0) ?? 0;
    // A sample holds for twice its period of a minute.
    expect(Math.round(known / MINUTE)).toBe(120 + 1 + 30);
    expect((await read(NOW + 20 * MINUTE))[0]?.state).toBe('unknown');
  });

  it('is as it was at any instant', async () => {
    const then = views.asOf(beforeFailure);
    const model = await reading.read(await page(), { views: then, at: NOW, present: views.now() });
    expect([states(itemsOfPage(model)), model.n]).toEqual([['working', 'working', 'working'], beforeFailure]);
  });

  it('is as it was once the samples of a day are deleted, by the day that was closed after it', async () => {
    const start = Math.floor(NOW / DAY_MS) * DAY_MS - 200 * DAY_MS;
    const day = new Date(start).toISOString().slice(0, 10);
    const intervals = packDay(day, [{ from: start, to: start + 10 * 60 * MINUTE, state: 'up' }]).toString('base64');
    const at = start + 9 * 60 * MINUTE;
    const asOf = async (instant: number) => {
      const then = { views: views.asOf(beforeFailure), at: instant, present: views.now() };
      return itemsOfPage(await reading.read(await page(), then))[0];
    };
    expect((await asOf(at))?.state).toBe('unknown');
    await happens(UPTIME, 'UptimeDayClosed', { day, intervals });
    expect(await asOf(at)).toMatchObject({ state: 'working', up: 100 });
    expect((await asOf(at))?.days.at(-1)).toMatchObject({ upMs: 9 * 60 * MINUTE, unknownMs: 0 });
    expect((await asOf(start + 11 * 60 * MINUTE))?.state).toBe('unknown');
  });

  it('is planned work only if it was announced before it began', async () => {
    const window = { note: '', repeat: null, offsetMinutes: 0 } as const;
    await happens(SCOPE, 'MaintenanceScheduled', { ...window, windowId: 'late', from: at(25), to: at(-60) });
    expect(states(await read())).toEqual(['failing', 'failing', 'working']);
    const soon = Date.now() + 5 * MINUTE;
    const to = new Date(soon + 10 * MINUTE).toISOString();
    await happens(SCOPE, 'MaintenanceScheduled', { ...window, windowId: 'early', from: new Date(soon).toISOString(), to });
    const model = await reading.read(await page(), { views: views.now(), at: NOW, present: null });
    expect(model.planned).toEqual([{ from: soon, to: soon + 10 * MINUTE, items: ['Site', 'Both', 'One'] }]);
    expect((await read(soon + MINUTE))[0]).toMatchObject({ state: 'maintenance', until: soon + 10 * MINUTE });
  });

  it('leads to the events behind it, until the account that is responsible has left the project', async () => {
    const [site] = (await page()).settings.groups[0]?.items ?? [];
    if (site === undefined) throw new Error('the page has no items');
    const kinds = async (): Promise<readonly string[]> => (await records.ofItem(await page(), site)).map(({ kind }) => kind);
    expect(await kinds()).toEqual(['maintenance', 'maintenance', 'day', 'failing', 'working']);
    const [failure] = (await records.ofItem(await page(), site)).filter(({ kind }) => kind === 'failing');
    expect((await records.at(await page(), failure?.n ?? -1))?.hash).toBe(failure?.hash);
    const instant = new Date().toISOString();
    expect(await past(instant)).toContain('are failing');
    await happens(SCOPE, 'MemberRemoved', { userId: 1 });
    expect(await past(instant)).not.toContain('are failing');
    expect([states(await read()), await kinds(), await records.at(await page(), failure?.n ?? -1)]).toEqual([
      ['unknown', 'unknown', 'unknown'],
      [],
      null,
    ]);
  });
});
