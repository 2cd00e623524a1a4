import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const KIT = pathToFileURL(resolve(import.meta.dirname, '../../../dist/projection.js')).href;
const TEAM = `
  import { defineProjection } from '${KIT}';
  export default defineProjection({
    name: 'titles',
    version: 1,
    tables: ['CREATE TABLE title (title text PRIMARY KEY, times bigint NOT NULL DEFAULT 0)'],
    on: {
      ProjectRenamed: ({ data }, tx) => {
        if (data.to === 'poison') throw new Error('cannot take it');
        tx.add('title', { title: data.to }, { times: 1 });
      },
    },
  });
`;

let folder: string;
let service: TestService;
let owner: TestAccount;
let admin: TestAccount;
let projectId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-team-'));
  await writeFile(join(folder, 'titles.mjs'), TEAM);
  service = await TestService.start({ env: { REGISTRATION: 'open', RATE_LIMIT: '0', PROJECTIONS: join(folder, 'titles.mjs') } });
  const people = new TestAccounts(service);
  owner = await people.register('owner');
  admin = await people.admin();
  projectId = await people.project(owner);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const rename = (title: string): Promise<unknown> => owner.api.put(`/project/${projectId}`, { title });
const titles = async (): Promise<readonly object[]> =>
  (await service.database.pool.query<object>('SELECT title, times::int FROM p_titles.title ORDER BY title')).rows;
const status = async (name: string): Promise<Json> =>
  (await admin.api.get('/ops/projections')).body.projections.find((projection: Json) => projection.name === name);

describe('a projection of a team', () => {
  it('is filled from history, follows live events and shows its state', async () => {
    await rename('Shop');
    await until(async () => (await titles()).length === 1, 10_000);
    expect(await titles()).toEqual([{ title: 'Shop', times: 1 }]);
    expect(await status('titles')).toMatchObject({ state: 'live', parked: 0, position: expect.any(Number), head: expect.any(Number) });
  });

  it('stops while paused and catches up after resuming', async () => {
    await admin.api.post('/ops/projections/titles/pause');
    await until(async () => (await status('titles')).state === 'paused', 5_000);
    let written = 1;
    const isPaused = async (): Promise<boolean> => {
      await rename(`Store ${String(++written)}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return (await titles()).length < written;
    };
    await until(isPaused, 10_000, 'the pause');
    await admin.api.post('/ops/projections/titles/resume');
    await until(async () => (await titles()).length === written, 10_000, 'the projection to catch up');
  });

  it("parks an event that its handler rejects and skips it on an operator's command", async () => {
    await rename('poison');
    await until(async () => (await status('titles')).parked === 1, 10_000);
    await rename('After');
    const { parked } = (await admin.api.get('/ops/projections/titles/parked')).body;
    expect(parked[0]).toMatchObject({ type: 'ProjectRenamed', error: expect.stringContaining('cannot take it') });
    const path = `/ops/projections/titles/parked/${parked[0].eventId as string}/skip`;
    expect((await admin.api.post(path, {})).status).toBe(400);
    expect((await admin.api.post(path, { reason: 'made by a test' })).status).toBe(200);
    await until(async () => (await titles()).some((row) => 'title' in row && row.title === 'After'), 10_000);
    expect((await owner.api.get(`/project/${projectId}`)).body.title).toBe('After');
    const { rows } = await service.database.pool.query<object>(
      `SELECT type, (data::json ->> 'projection') AS projection FROM log WHERE type IN ('EventVoided', 'ProjectionEventSkipped')`,
    );
    expect(rows).toEqual([{ type: 'ProjectionEventSkipped', projection: 'titles' }]);
    const poisoned = await admin.api.get(`/history?type=ProjectRenamed&order=desc`);
    const [, poison] = poisoned.body.events as { position: string; data: { to: string } }[];
    expect(poison?.data.to).toBe('poison');
    // The core views accepted the event: at that instant the project had that title.
    expect((await owner.api.get(`/project/${projectId}?asOf=${poison?.position ?? ''}`)).body.title).toBe('poison');
  });

  it('requires a system role, and refuses to pause the core views', async () => {
    expect((await owner.api.get('/ops/projections')).status).toBe(403);
    expect((await admin.api.post('/ops/projections/project/pause')).status).toBe(409);
    expect((await admin.api.post('/ops/projections/nothing/pause')).status).toBe(404);
  });
});
