import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ran, watchledger, watchledgerProcess } from '../../support/command-line.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { ADVISORY_LOCKS } from '../../../src/platform/postgres/advisory-locks.ts';

/** The advisory lock that serialises the creation of read model tables. */
const SCHEMA_LOCK = ADVISORY_LOCKS.projectionSchemas;
const KIT = pathToFileURL(resolve(import.meta.dirname, '../../../dist/projection.js')).href;
const TEAM = `
  import { defineProjection } from '${KIT}';
  export default defineProjection({
    name: 'founded',
    version: 1,
    tables: ['CREATE TABLE project (scope text PRIMARY KEY)'],
    on: { ProjectCreated: ({ scope }, tx) => tx.query('INSERT INTO project VALUES ($1)', [scope]) },
  });
`;
const masterKey = 'cd'.repeat(32);
let folder: string;
let team: string;
let service: TestService;
let owner: TestAccount;
let project: string;
let people: TestAccounts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-team-'));
  team = join(folder, 'founded.mjs');
  await writeFile(team, TEAM);
  service = await TestService.start({ env: { REGISTRATION: 'open', RATE_LIMIT: '0', MASTER_KEY: masterKey, PROJECTIONS: team } });
  people = new TestAccounts(service);
  owner = await people.register();
  project = await people.project(owner);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** Runs `watchledger …` beside the running service. */
const run = (...args: readonly string[]): Promise<Ran> => watchledger(env(), ...args).ran;
const env = () => ({ DATABASE_URL: service.database.url, MASTER_KEY: masterKey, PROJECTIONS: team });
const rows = async (text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> =>
  (await service.database.pool.query<Record<string, unknown>>(text, [...values])).rows;
const coreSchema = async (): Promise<string> => String((await rows(`SELECT schema FROM projection WHERE name = 'core'`))[0]?.['schema']);
const replays = (): Promise<readonly object[]> => rows(`SELECT nspname FROM pg_namespace WHERE nspname LIKE '%\\_replay'`);
const title = async (): Promise<unknown> => (await owner.api.get(`/project/${project}`)).body.title as unknown;

describe('watchledger projections', () => {
  it('lists all projections and shows one', async () => {
    const { status, out, err } = await run('projections', 'list', '--json');
    expect([status, err]).toEqual([0, '']);
    const { projections } = JSON.parse(out) as { projections: { name: string; state: string }[] };
    expect(projections).toContainEqual(expect.objectContaining({ name: 'project', state: 'live', parked: 0 }));
    const all = JSON.parse((await run('projections', 'status', '--json')).out) as unknown;
    expect(all).toMatchObject({ projections: projections.map(({ name, state }) => ({ name, state })) });
    const one = await run('projections', 'status', 'project');
    expect([one.status, one.out]).toEqual([
      0,
      expect.stringMatching(/^project +version \d+ +live +at \d+ of \d+ +gap \d+ +lag [\d.]+ s\n$/),
    ]);
  });

  it('pauses and resumes a team projection', async () => {
    const state = async () => (JSON.parse((await run('projections', 'status', 'founded', '--json')).out) as { state: string }).state;
    expect((await run('projections', 'pause', 'founded')).status).toBe(0);
    expect(await state()).toBe('paused');
    expect((await run('projections', 'resume', 'founded')).status).toBe(0);
    expect(await state()).toBe('live');
    expect(await run('projections', 'pause', 'project')).toMatchObject({ status: 1, out: '', err: expect.stringContaining('core') });
  });

  it.each([
    ['project', 'core'],
    ['founded', 'founded'],
  ])('rebuilds %s and waits for the end on request', async (name, unit) => {
    const made = () => rows(`SELECT created_at FROM projection WHERE name = $1`, [unit]);
    const before = await made();
    const { status, out } = await run('projections', 'rebuild', name, '--wait', '--json');
    expect([status, JSON.parse(out)]).toEqual([0, { name, outcome: 'rebuilt' }]);
    expect(await made()).not.toEqual(before);
  });

  describe('with a parked event', () => {
    let named: unknown;
    let eventId: string;
    const parked = async () => (JSON.parse((await run('projections', 'parked', 'project', '--json')).out) as { parked: object[] }).parked;
    /** A view's state after its handler rejected the event; watches may have appended since. */
    const park = async (): Promise<unknown> => {
      const [event] = await rows(`SELECT n, id, type FROM log WHERE scope = $1 AND type = 'ProjectRenamed' ORDER BY n DESC LIMIT 1`, [
        `project-${project}`,
      ]);
      eventId = String(event?.['id']);
      await rows(
        `INSERT INTO projection_parked (schema, view, key, scope, n, event_id, type, error) VALUES ($1, 'project', $2, $3, $4, $5, $6, 'no')`,
        [await coreSchema(), project, `project-${project}`, event?.['n'], eventId, event?.['type']],
      );
      return event?.['n'];
    };
    beforeAll(async () => {
      named = await title();
      await owner.api.put(`/project/${project}`, { title: 'Never mind' });
      expect(await title()).toBe('Never mind');
    });

    it('retries the event', async () => {
      await park();
      expect(await parked()).toMatchObject([{ eventId, key: project, error: 'no' }]);
      expect((await run('projections', 'retry', 'project', eventId)).status).toBe(0);
      await until(async () => (await parked()).length === 0, 10_000, 'nothing parked');
      expect(await title()).toBe('Never mind');
      expect((await run('projections', 'retry', 'project', eventId)).status).toBe(1);
    });

    it('skips the event in every fold and records the reason in the log', async () => {
      const n = Number(await park());
      expect((await run('projections', 'skip', 'project', eventId)).status).toBe(2);
      expect((await run('projections', 'skip', 'project', eventId, '--reason', 'a slip')).status).toBe(0);
      await until(async () => (await title()) === named, 10_000, 'the title from before');
      const [voided] = await rows(`SELECT scope, data FROM log WHERE type = 'EventVoided'`);
      expect(voided?.['scope']).toBe('system');
      expect(JSON.parse(String(voided?.['data']))).toEqual({ n, eventId, reason: 'a slip' });
    });
  });

  it.each([
    ['status', 'nothing'],
    ['rebuild', 'nothing'],
    ['parked', 'nothing'],
  ])('refuses %s %s', async (...args) => {
    expect(await run('projections', ...args)).toMatchObject({ status: 1, out: '', err: expect.stringContaining('nothing') });
  });

  it.each([[[]], [['dance']], [['parked']], [['list', '--all']]])('refuses wrong usage: %j', async (args) => {
    expect(await run('projections', ...args)).toMatchObject({ status: 2, out: '' });
  });
});

describe('watchledger replay', () => {
  it('finds the read models equal to the log and leaves no tables behind', async () => {
    const { status, out, err } = await run('replay', '--json');
    expect([status, err, JSON.parse(out)]).toEqual([
      0,
      '',
      { equal: true, replayed: ['core', 'founded', 'as_of_snapshot', 'stream_snapshot'], differences: [] },
    ]);
    expect(await replays()).toEqual([]);
  });

  it('names differences of the requested projections only', async () => {
    const schema = await coreSchema();
    const swap = (from: string, to: string) =>
      rows(`UPDATE ${schema}.account SET doc = replace(doc::text, $1, $2)::json WHERE key = $3`, [from, to, String(owner.userId)]);
    await swap('"userId":', '"userID":');
    const { status, out } = await run('replay');
    expect([status, out]).toEqual([1, `NOT EQUAL\naccount ${String(owner.userId)} differs in doc\n`]);
    expect((await run('replay', '--projection', 'project')).status).toBe(0);
    expect((await run('replay', '--projection', 'account')).status).toBe(1);
    await swap('"userID":', '"userId":');
    expect((await run('replay', '--projection', 'account')).status).toBe(0);
  });

  it('compares the tables of a team', async () => {
    await rows(`INSERT INTO p_founded_v1.project VALUES ('forged')`);
    const { status, out } = await run('replay', '--projection', 'founded', '--json');
    expect([status, JSON.parse(out)]).toEqual([
      1,
      { equal: false, replayed: ['founded'], differences: [{ view: 'founded.project', key: '(forged)', kind: 'extra', columns: [] }] },
    ]);
    await rows(`DELETE FROM p_founded_v1.project WHERE scope = 'forged'`);
    expect((await run('replay', '--projection', 'founded')).status).toBe(0);
    expect(await replays()).toEqual([]);
  });

  it('writes the read models of an instant into a schema, and refuses to overwrite it', async () => {
    const then = new Date().toISOString().replace('Z', '000Z');
    await people.project(owner);
    const args = ['replay', '--until', then, '--into', 'at_that_time', '--json'] as const;
    const { status, out } = await run(...args);
    expect([status, JSON.parse(out)]).toEqual([0, expect.objectContaining({ schema: 'at_that_time', until: then })]);
    expect(await rows('SELECT key FROM at_that_time.project')).toEqual([{ key: project }]);
    // The team's projection, under a name that the service has not loaded.
    expect(await rows('SELECT scope FROM at_that_time.founded_project')).toEqual([{ scope: `project-${project}` }]);
    expect(await run(...args)).toMatchObject({ status: 1, out: '', err: expect.stringContaining('at_that_time') });
    expect(await rows('SELECT key FROM at_that_time.project')).toHaveLength(1);
  });

  it('removes its tables when interrupted, and excludes a second replay while it runs', async () => {
    const client = await service.database.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const held = watchledgerProcess('/', env(), 'replay');
    const waiting = () => rows(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`, [SCHEMA_LOCK]);
    await until(async () => (await waiting()).length > 0, 15_000, 'a replay that waits');
    expect(await run('replay')).toMatchObject({ status: 1, err: expect.stringContaining('another replay') });
    held.interrupt();
    held.interrupt();
    await client.query('COMMIT');
    client.release();
    expect(await held.ran).toMatchObject({ status: 1, out: '', err: expect.stringContaining('its tables were dropped') });
    expect(await replays()).toEqual([]);
    expect(await rows(`SELECT FROM projection WHERE schema LIKE '%\\_replay'`)).toEqual([]);
  });

  it.each([
    [['--until', '2026-01-01T00:00:00Z']],
    [['--into', 'then']],
    [['--until', 'noon', '--into', 'noon']],
    [['--until', '9999-01-01T00:00:00Z', '--into', 'then']],
    [['--until', '2026-01-01T00:00:00Z', '--into', 'x"; DROP']],
    [['--until', '2026-01-01T00:00:00Z', '--into', 'public']],
    [['--projection', 'nothing']],
  ])('refuses wrong usage: %j', async (args) => {
    expect(await run('replay', ...args)).toMatchObject({ status: 2, out: '' });
  });

  it('refuses an instant before the first event', async () => {
    expect((await run('replay', '--until', '2001-01-01T00:00:00Z', '--into', 'before')).status).toBe(1);
  });
});
