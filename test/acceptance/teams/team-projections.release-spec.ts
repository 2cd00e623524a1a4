import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/api-client.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const PATIENCE = 20_000;

/** A projection that counts titles by `weight`, which shows its version; in TypeScript, in any folder, importing the kit by its package name. */
const counting = (version: number, weight: number) => `
  import { defineProjection, Needs, ProjectionTables, systemReader } from 'watchledger/projection';
  import { Controller, Get, Inject, Module, Param, Query } from '@nestjs/common';

  const titles = defineProjection({
    name: 'titles',
    version: ${String(version)},
    tables: ['CREATE TABLE title (title text PRIMARY KEY, times bigint NOT NULL)'],
    on: {
      ProjectRenamed: ({ data }, tx): void => {
        if (data.to === 'poison') throw new Error('cannot take it');
        tx.add('title', { title: data.to }, { times: ${String(weight)} });
      },
    },
  });

  @Controller('titles')
  class TitlesController {
    constructor(@Inject(ProjectionTables) private readonly tables: ProjectionTables) {}
    @Get() @Needs(systemReader)
    all(): Promise<readonly object[]> { return this.tables.query('SELECT title, times::int FROM p_titles.title ORDER BY title'); }
    @Get('past/:id') @Needs(systemReader)
    async past(@Param('id') id: string, @Query('asOf') asOf: string): Promise<readonly object[]> {
      return (await this.tables.asOf(asOf)).query(titles, \`project-\${id}\`, 'SELECT title, times::int FROM title ORDER BY title');
    }
    @Get('closed')
    closed(): string { return 'no right is declared for this'; }
    @Get('writes') @Needs(systemReader)
    writes(): Promise<readonly object[]> { return this.tables.query('DELETE FROM p_titles_v1.title'); }
    @Get('nowhere') @Needs(systemReader)
    nowhere(): Promise<readonly object[]> { return this.tables.query('SELECT * FROM p_nowhere.title'); }
  }
  @Module({ controllers: [TitlesController] })
  class TitlesModule {}

  export default { projections: [titles], module: TitlesModule };
`;

/** Team code that could harm the rest of the service. */
const TROUBLE = `
  import { defineProjection } from 'watchledger/projection';
  const of = (name, handle) =>
    defineProjection({ name, version: 1, tables: ['CREATE TABLE seen (n bigint)'], partition: () => 'all', on: { ProjectRenamed: handle } });
  export default [
    of('slow', (event, tx) => tx.query('SELECT pg_sleep(1)')),
    of('stuck', (event, tx) => tx.query('SELECT pg_sleep(60)')),
    of('failing', () => { throw new Error('never works'); }),
    of('crashing', () => {
      setTimeout(() => { throw new Error('thrown in a timer'); }, 1);
      void Promise.reject(new Error('left alone'));
    }),
  ];
`;

/** Prints what it finds in its environment, and ends its process again and again. */
const ENDING = `
  import { defineProjection } from 'watchledger/projection';
  console.log('environment: ' + JSON.stringify(process.env));
  setTimeout(() => process.exit(3), 1_000);
  export default defineProjection({ name: 'ending', version: 1, tables: ['CREATE TABLE seen (n bigint)'], on: { ProjectRenamed: () => undefined } });
`;

describe.each(['postgres', 'kurrentdb'])('projections of teams on %s', (engine) => {
  let folder: string;
  let file: string;
  let double: KurrentDbDouble | undefined;
  let env: Record<string, string>;
  let first: TestService;
  let second: TestService;
  let people: TestAccounts;
  let owner: TestAccount;
  let projectId: string;

  beforeAll(async () => {
    double = engine === 'kurrentdb' ? await KurrentDbDouble.start() : undefined;
    folder = await mkdtemp(join(tmpdir(), 'watchledger-team-'));
    file = join(folder, 'titles.ts');
    await writeFile(file, counting(1, 1));
    await writeFile(join(folder, 'trouble.mjs'), TROUBLE);
    await writeFile(join(folder, 'ending.mjs'), ENDING);
    env = { REGISTRATION: 'open', RATE_LIMIT: '0', ROLES: 'api,projector', ...(double !== undefined && { EVENTSTORE_URL: double.url }) };
    first = await TestService.start({ env });
    people = new TestAccounts(first);
    owner = await people.register('owner');
    projectId = await people.project(owner);
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
    await double?.stop();
    await rm(folder, { recursive: true });
  });

  const rename = async (title: string, by = owner): Promise<void> => {
    expect((await by.api.put(`/project/${projectId}`, { title })).status).toBe(200);
  };
  const titles = async (): Promise<readonly object[]> =>
    (await first.database.pool.query<object>('SELECT title, times::int FROM p_titles.title ORDER BY title').catch(() => ({ rows: [] })))
      .rows;
  const shows = async (wanted: readonly object[]): Promise<void> => {
    await until(async () => JSON.stringify(await titles()) === JSON.stringify(wanted), PATIENCE).catch(() => undefined);
    expect(await titles()).toEqual(wanted);
  };
  const on = async (service: TestService): Promise<TestAccount> => new TestAccounts(service).admin();
  const status = async (of: TestAccount, name = 'titles'): Promise<Json> =>
    (await of.api.get('/ops/projections')).body.projections.find((projection: Json) => projection.name === name);
  const start = (...files: readonly string[]): Promise<TestService> =>
    TestService.start({ beside: first, env: { ...env, PROJECTIONS: files.join() } });

  it('are filled from all history while the service runs and served over HTTP to authorised callers', async () => {
    await rename('one');
    await rename('two');
    await rename('one');
    second = await start(file);
    await shows([
      { title: 'one', times: 2 },
      { title: 'two', times: 1 },
    ]);
    const then = new Date().toISOString();
    await rename('two');
    await shows([
      { title: 'one', times: 2 },
      { title: 'two', times: 2 },
    ]);
    const there = await on(second);
    const answer = await there.api.ofTeams().get('/titles');
    expect([answer.body, answer.headers.get('content-security-policy')]).toEqual([await titles(), "default-src 'none'; sandbox"]);
    expect((await there.api.ofTeams().get(`/titles/past/${projectId}?asOf=${then}`)).body).toEqual([
      { title: 'one', times: 2 },
      { title: 'two', times: 1 },
    ]);
    expect((await there.api.ofTeams().get(`/titles/past/${projectId}?asOf=2999-01-01T00:00:00Z`)).status).toBe(400);
    expect((await people.anonymous.get('/titles')).status).toBe(404);
    expect((await new TestAccounts(second).anonymous.ofTeams().get('/titles')).status).toBe(401);
    expect((await there.api.ofTeams().get('/titles/closed')).status).toBe(403);
    expect((await there.api.ofTeams().get('/titles/writes')).status).toBe(500);
    expect((await there.api.ofTeams().get('/titles/nowhere')).status).toBe(503);
    expect(second.log.join()).toContain('"route":"/api/titles/closed"');
  });

  it('continue on another instance when one is killed, without counting an event twice', async () => {
    const third = await start(file);
    await second.kill();
    await rename('three');
    await shows([
      { title: 'one', times: 2 },
      { title: 'three', times: 1 },
      { title: 'two', times: 2 },
    ]);
    second = third;
  });

  it('park and skip an event, pause, and are rebuilt while being read', async () => {
    const there = await on(second);
    await rename('poison');
    await until(async () => (await status(there)).parked === 1, PATIENCE, 'a parked event');
    await rename('after');
    const { parked } = (await there.api.get('/ops/projections/titles/parked')).body;
    await there.api.post(`/ops/projections/titles/parked/${String(parked[0].eventId)}/skip`, { reason: 'made by a test' });
    const all = [
      { title: 'after', times: 1 },
      { title: 'one', times: 2 },
      { title: 'three', times: 1 },
      { title: 'two', times: 2 },
    ];
    await shows(all);
    await there.api.post('/ops/projections/titles/pause');
    await until(async () => (await status(there)).state === 'paused', PATIENCE, 'paused');
    await there.api.post('/ops/projections/titles/resume');
    await until(async () => (await status(there)).state === 'live', PATIENCE, 'live');
    await first.database.pool.query('UPDATE p_titles_v1.title SET times = 99');
    await there.api.post('/ops/projections/titles/rebuild');
    await shows(all);
    await until(async () => (await status(there)).state === 'live', PATIENCE, 'live again');
  });

  it('swap to a new version after a blue/green rebuild and retry the skipped event', async () => {
    await writeFile(file, counting(2, 10).replace("data.to === 'poison'", 'false'));
    const raised = await start(file);
    const all = [
      { title: 'after', times: 10 },
      { title: 'one', times: 20 },
      { title: 'poison', times: 10 },
      { title: 'three', times: 10 },
      { title: 'two', times: 20 },
    ];
    await shows(all);
    await rename('one');
    await shows(all.map((row) => (row.title === 'one' ? { ...row, times: 30 } : row)));
    // The old version is kept up to date by the instance that still runs it.
    await until(
      async () => (await first.database.pool.query(`SELECT FROM p_titles_v1.title WHERE title = 'one' AND times = 3`)).rowCount === 1,
      PATIENCE,
      'the old version abreast',
    );
    await second.stop();
    second = raised;
  });

  it('do not affect each other or the API when one is slow, broken or leaking', async () => {
    await second.stop();
    second = await start(file, join(folder, 'trouble.mjs'), join(folder, 'ending.mjs'));
    const there = await on(second);
    const counted = async (): Promise<boolean> => JSON.stringify(await titles()).includes('{"title":"more","times":30}');
    const ownerThere = new TestAccounts(second);
    for (let round = 1; round <= 5; round++) {
      await rename(round % 2 === 0 ? 'less' : 'more');
      expect((await there.api.ofTeams().get('/titles')).status).toBe(200);
    }
    await until(counted, PATIENCE, 'all of the good one');
    await until(async () => (await status(there, 'failing')).parked === 1, PATIENCE, 'a failing one that is parked');
    await until(async () => (await status(there, 'stuck')).parked === 1, PATIENCE, 'a statement that was ended');
    await until(
      () =>
        Promise.resolve(
          ['thrown in a timer', 'left alone'].every((said) =>
            second.log.some((line) => line.includes(said) && /"package":"[^"]*trouble\.mjs"/.test(line)),
          ),
        ),
      PATIENCE,
      'both crashes in the log, with the file that they came from',
    );
    await until(async () => (await status(there, 'ending')).process?.ends > 1, PATIENCE, 'a process that ended twice');
    expect((await status(there, 'ending')).process.reason).toBe('it exited with status 3: process.exit()');
    const printed = second.log.find((line) => line.includes('environment: ')) ?? '';
    expect(printed).toContain('PATH');
    expect(printed).not.toMatch(/MASTER_KEY|DATABASE_URL|ADMIN_PASSWORD/);
    expect((await ownerThere.anonymous.get('/openapi.json')).status).toBe(200);
    expect(await status(there)).toMatchObject({ state: 'live', parked: 0 });
    expect(second.log.filter((line) => line.includes('event parked')).length).toBeGreaterThan(0);
  });
});
