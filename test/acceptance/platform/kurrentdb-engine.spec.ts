import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type Answer } from '../../support/api-client.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { isRelease } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';
import { watchledger } from '../../support/command-line.ts';
import { askReceipt } from '../../support/receipt-of.ts';

/** Sends every title to a receiver. */
const REACTOR = `
  import { defineReactor } from 'watchledger/projection';
  export default defineReactor({
    name: 'titles_out',
    from: 'beginning',
    on: { ProjectRenamed: ({ id, data }, effects) => effects.http({ url: process.env.RECEIVER, body: { id, title: data.to } }) },
  });
`;

let double: KurrentDbDouble;
let folder: string;
/** Of the effects of the reactor. */
let effects: Receiver;
let env: Record<string, string>;
let first: TestService;
let second: TestService;
let here: ApiClient;
let there: ApiClient;

const signIn = (service: TestService): Promise<ApiClient> => new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);

beforeAll(async () => {
  double = await KurrentDbDouble.start();
  effects = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), 'watchledger-kurrentdb-'));
  await writeFile(join(folder, 'titles-out.mjs'), REACTOR);
  env = {
    ...{ EVENTSTORE_URL: double.url, RATE_LIMIT: '0', ALLOW_HOOKS: '127.0.0.0/8', MASTER_KEY: randomBytes(32).toString('hex') },
    ...{ PROJECTIONS: join(folder, 'titles-out.mjs'), TEAM_ENV: 'RECEIVER', RECEIVER: effects.url },
  };
  first = await TestService.start({ env });
  second = await TestService.start({ beside: first, env });
  [here, there] = await Promise.all([signIn(first), signIn(second)]);
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  await double.stop();
  await effects.close();
  await rm(folder, { recursive: true });
});

/** What the reactor sent, in the order of its arrival. */
const sent = (): readonly { readonly id: string; readonly title: string }[] =>
  effects.received.map(({ body }) => JSON.parse(body) as { id: string; title: string });
const acted = (title: string): Promise<void> =>
  until(() => Promise.resolve(sent().some((one) => one.title === title)), 30_000, `the effect of ${title}`);

async function command(...args: readonly string[]): Promise<{ readonly status: number | null; readonly out: string }> {
  const { status, out, err } = await watchledger({ DATABASE_URL: first.database.url, ...env }, ...args).ran;
  return { status, out: out + err };
}

/** Retries after 503 under one idempotency key until another instance took over. */
async function patiently(client: ApiClient, key: string, ask: (keyed: ApiClient) => Promise<Answer>): Promise<Answer> {
  let answer = await ask(client.with({ 'idempotency-key': key }));
  const taken = async (): Promise<boolean> => {
    if (answer.status === 503) answer = await ask(client.with({ 'idempotency-key': key }));
    return answer.status !== 503;
  };
  await until(taken, 15_000, 'another answer than 503');
  return answer;
}

async function createProject(client: ApiClient, title: string): Promise<string> {
  const created = await patiently(client, `create-${title}`, (keyed) => keyed.post('/project/create', { url: `https://${title}.example` }));
  expect(created.status).toBe(200);
  const id = String(created.body.id);
  expect((await patiently(client, `name-${title}`, (keyed) => keyed.put(`/project/${id}`, { title }))).status).toBe(200);
  return id;
}

describe('the service on KurrentDB', () => {
  it('answers a write when every instance can read it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const title = `round-${String(round)}`;
      const id = await createProject(here, title);
      expect((await there.get(`/project/${id}`)).body.title).toBe(title);
    }
    const types = double.events.map(({ type }) => type);
    expect(types).toContain('ProjectCreated');
  });

  if (isRelease) {
    it('resumes after an outage of the server without losing events', async () => {
      const id = await createProject(here, 'before');
      await double.kill();
      const refused = await here.put(`/project/${id}`, { title: 'refused' });
      expect([refused.status, refused.text]).toEqual([503, expect.not.stringContaining(id)]);
      expect((await there.get(`/project/${id}`)).body.title).toBe('before');
      await double.revive();
      expect((await patiently(here, 'after', (keyed) => keyed.put(`/project/${id}`, { title: 'after' }))).status).toBe(200);
      expect((await there.get(`/project/${id}`)).body.title).toBe('after');
      await acted('after');
    });

    it('states why the database refuses the copy of an event, and shows the event once it accepts it', async () => {
      const id = await createProject(here, 'full');
      const { pool } = first.database;
      await pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION refuse()`);
      const write = patiently(here, 'while-full', (keyed) => keyed.put(`/project/${id}`, { title: 'freed' }));
      const states = (line: string): boolean => line.includes('storage refuses work') && line.includes('"cause":"disk_full"');
      await until(() => Promise.resolve([first, second].some(({ log }) => log.some(states))), 10_000, 'the cause in the log');
      await pool.query('DROP FUNCTION refuse CASCADE');
      expect((await write).status).toBe(200);
      expect((await there.get(`/project/${id}`)).body.title).toBe('freed');
    });

    it('feeds programs: the feed, a subscription, a destination and a reactor get the same events in the same order', async () => {
      const receiver = await startReceiver();
      try {
        const { client } = here;
        const id = await createProject(here, 'followed');
        const [path, scope] = [{ id }, `project-${id}`];
        await client.post('/project/{id}/destinations', { path, body: { kind: 'webhook', name: 'all', url: receiver.url, from: '0' } });
        for (const title of ['one', 'two']) await client.put('/project/{id}', { path, body: { title } });
        const followed: string[] = [];
        const renamed: string[] = [];
        for await (const event of there.client.follow('/events', { scope, untilHead: true })) {
          followed.push(event.id);
          if (event.type === 'ProjectRenamed') renamed.push(event.id);
        }
        await client.put('/subscriptions/{name}', { path: { name: 'all' }, body: { filter: { scopes: [scope] } } });
        const delivered: string[] = [];
        for await (const { event } of there.client.subscribe('all', { waitSeconds: 5 })) {
          delivered.push(event.id);
          if (event.id === followed.at(-1)) break;
        }
        expect(delivered).toEqual(followed);
        const pushed = (): readonly string[] =>
          receiver.received.flatMap(({ body }) => (JSON.parse(body) as { id: string }[]).slice(1)).map((event) => event.id);
        await until(() => Promise.resolve(pushed().includes(followed.at(-1) ?? '')), 15_000, 'the batches');
        expect([...new Set(pushed())].slice(0, followed.length)).toEqual(followed);
        await acted('two');
        expect([...new Set(sent().map((one) => one.id))].filter((one) => renamed.includes(one))).toEqual(renamed);
      } finally {
        await receiver.close();
      }
    });

    it('replays the mirrored log and an earlier state of it without appending', async () => {
      const id = await createProject(here, 'replayed');
      const then = new Date().toISOString();
      expect((await here.put(`/project/${id}`, { title: 'later' })).status).toBe(200);
      const before = double.events.length;
      expect(await command('replay', '--json')).toMatchObject({ status: 0, out: expect.stringContaining('"equal": true') });
      expect(await command('replay', '--until', then, '--into', 'at_that_time')).toMatchObject({ status: 0 });
      const title = `SELECT doc->'settings'->>'title' AS title FROM at_that_time.project WHERE key = $1`;
      expect((await first.database.pool.query(title, [id])).rows).toEqual([{ title: 'replayed' }]);
      expect(double.events.slice(before).filter(({ type }) => !/^(Certificate|Redirect|Probe|Uptime|Run|Check)/.test(type))).toEqual([]);
    });

    it('computes signed answers again from the mirrored log', async () => {
      const id = await createProject(here, 'signed');
      const folder = await mkdtemp(join(tmpdir(), 'watchledger-receipts-'));
      const files = ['/simple-status', '', '/users'].map((path, at) => [path, join(folder, String(at))] as const);
      for (const [path, file] of files) await writeFile(file, await askReceipt(here, first.url, `/project/${id}${path}`));
      expect((await here.put(`/project/${id}`, { title: 'renamed since' })).status).toBe(200);
      const before = double.events.length;
      const computed = await Promise.all(
        files.map(([, file]) => watchledger({ DATABASE_URL: first.database.url, ...env }, 'recompute', file).ran),
      );
      expect(computed).toMatchObject(files.map(() => ({ status: 0, out: expect.stringContaining('the same to the byte') })));
      expect(double.events.slice(before).filter(({ type }) => !/^(Certificate|Redirect|Probe|Uptime|Run|Check)/.test(type))).toEqual([]);
      await rm(folder, { recursive: true });
    });

    it('never appends a write whose client disconnected while the server was away', async () => {
      const id = await createProject(here, 'abandoned');
      await double.kill();
      const client = new AbortController();
      const write = fetch(`${first.url}/api/project/${id}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${String(here.token)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'of a client that disconnected' }),
        signal: client.signal,
      });
      await expect(Promise.race([write, sleep(700)])).resolves.toBeUndefined();
      client.abort();
      await expect(write).rejects.toThrow();
      // Until the service has noticed, on a busy machine, too.
      await sleep(1_000);
      await double.revive();
      expect((await patiently(here, 'stayed', (keyed) => keyed.put(`/project/${id}`, { title: 'of a client that waits' }))).status).toBe(
        200,
      );
      const titles = (await there.get(`/project/${id}/history`)).text;
      expect(titles).toContain('of a client that waits');
      expect(titles).not.toContain('of a client that disconnected');
    });

    it('continues mirroring, and the reactors of teams, through the other instance when one is killed', async () => {
      await first.kill();
      const id = await createProject(there, 'alone');
      expect((await there.get(`/project/${id}`)).body.title).toBe('alone');
      await acted('alone');
    });
  }
});
