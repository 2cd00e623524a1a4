import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LocalWake } from '../../../src/platform/postgres/wake.ts';
import { KurrentDbEventStore } from '../../../src/platform/event-store/kurrentdb/kurrentdb-event-store.ts';
import { PostgresEventStore } from '../../../src/platform/event-store/postgres/postgres-event-store.ts';
import { PostgresLog } from '../../../src/platform/log/postgres-log.ts';
import { ApiClient, type Json } from '../../support/api-client.ts';
import { eventStoreEnv } from '../../support/event-store-env.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { watchledgerIn } from '../../support/command-line.ts';

const MASTER_KEY = randomBytes(32).toString('hex');
const env = { MASTER_KEY, RATE_LIMIT: '0', ROLES: 'api,projector' };
const eventId = randomUUID();
const data = { colour: '=green', secret: { subject: 'account-1', sealed: 'Y2FuYXJ5' }, nested: [{ deep: true }] };

let service: TestService;
let folder: string;
let api: ApiClient;
let projectId: string;
let position: string;

/** Appends an event of a type from a later release to the project's stream, in either engine. */
async function written(): Promise<string> {
  const { pool, url } = service.database;
  const wake = new LocalWake();
  const { EVENTSTORE_URL } = eventStoreEnv(url);
  const store = EVENTSTORE_URL === undefined ? new PostgresEventStore(pool, wake) : new KurrentDbEventStore(EVENTSTORE_URL);
  const stream = `project-${projectId}`;
  const { rows } = await pool.query<{ revision: string }>('SELECT max(revision) AS revision FROM log WHERE stream = $1', [stream]);
  const meta = { correlationId: eventId, causationId: null, commandId: randomUUID(), occurredAt: new Date().toISOString() };
  const event = { id: eventId, type: 'CheckPainted', version: 3, scope: stream, data };
  const appended = await store.append(stream, Number(rows[0]?.revision), [
    { ...event, meta: { ...meta, actor: { kind: 'user', id: '1' } } },
  ]);
  if (appended.kind === 'conflict') throw new Error('unexpected conflict: the stream has one writer only');
  const n = await new PostgresLog(pool, wake).locate(appended.place.position, Date.now() + 60_000);
  if ('close' in store) await store.close();
  return String(n);
}

async function watchledger(...args: readonly string[]): Promise<{ readonly status: number | null; readonly out: string }> {
  const { status, out, err } = await watchledgerIn(folder, { DATABASE_URL: service.database.url, MASTER_KEY }, ...args).ran;
  return { status, out: out + err };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-unknown-'));
  service = await TestService.start({ env });
  api = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
  projectId = (await api.post('/project/create', { url: 'https://example.com', checkInterval: 'false' })).body.id as string;
  position = await written();
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('an event of an unknown type', () => {
  it('does not prevent changing and reading its project', async () => {
    expect((await api.put(`/project/${projectId}`, { title: 'Painted over' })).status).toBe(200);
    expect((await api.get(`/project/${projectId}`)).body.title).toBe('Painted over');
    expect((await api.get(`/project/${projectId}?asOf=${position}`)).body.title).toBe('example.com');
    const { changes } = (await api.get(`/project/${projectId}/compare?from=${position}`)).body;
    expect((changes as Json[]).map(({ path }) => path as string)).toEqual(['project.title']);
  });

  it('is shown in the history as written, in every format, without secrets', async () => {
    const { events } = (await api.get(`/project/${projectId}/history?type=CheckPainted`)).body;
    const shown = { ...data, secret: '(hidden)' };
    expect(events).toMatchObject([{ id: eventId, position, version: 3, summary: 'CheckPainted (of an older version)', data: shown }]);
    const { text: lines } = await api.get(`/project/${projectId}/history?format=jsonl`);
    expect(lines.split('\n').filter((line) => line.includes(eventId))).toHaveLength(1);
    const { text: csv } = await api.get(`/project/${projectId}/history?format=csv`);
    expect(csv).toContain('CheckPainted (of an older version)');
    expect([lines, csv].join().includes('Y2FuYXJ5')).toBe(false);
    expect((await api.get(`/project/${projectId}/history/${eventId}/chain`)).body.events).toMatchObject([{ id: eventId }]);
  });

  it('is sealed, proven, exported and verified like any other event', async () => {
    const path = `/project/${projectId}/history/${eventId}/proof`;
    await until(async () => (await api.get(path)).status === 200, 20_000);
    expect(JSON.parse((await api.get(path)).body.leaf)).toMatchObject({ type: 'CheckPainted', data });
    expect(await watchledger('export', projectId, '--out', 'out.ndjson')).toMatchObject({ status: 0 });
    expect(await readFile(join(folder, 'out.ndjson'), 'utf8')).toContain('CheckPainted');
    const key = (await api.get('/ledger/key')).text.trim();
    expect(await watchledger('verify', 'out.ndjson', '--key', key)).toMatchObject({ status: 0 });
    expect(await watchledger('verify')).toMatchObject({ status: 0 });
  });

  it('is skipped by a replay, which finds the tables equal', async () => {
    expect(await watchledger('replay')).toMatchObject({ status: 0 });
    const now = new Date().toISOString();
    expect(await watchledger('replay', '--until', now, '--into', 'then')).toMatchObject({ status: 0 });
    const { rows } = await service.database.pool.query<{ doc: Json }>('SELECT doc FROM "then".project WHERE key = $1', [projectId]);
    expect(rows[0]?.doc.settings.title).toBe('Painted over');
  });
});
