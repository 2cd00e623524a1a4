import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { tableLog } from '../../../test/support/log-table.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { Heartbeats } from '../../platform/postgres/heartbeats.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { EndJobHandler, RUNNING_JOB, runningJobKey } from '../../checker/jobs/job.commands.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { jobTarget, requestJob } from '../../checker/jobs/job.decider.ts';
import { PostgresEventStore } from '../../platform/event-store/postgres/postgres-event-store.ts';
import { randomId } from '../../kernel/ids.ts';
import { PostgresRuns } from '../../platform/observations/runs/postgres-runs.ts';
import { jobView } from '../../checker/jobs/job.view.ts';
import { AbandonedJobs, recordedIn } from './abandoned-jobs.ts';

const hex = (): string => randomId().replaceAll('-', '').slice(0, 24);
const projectId = hex();
let database: TestDatabase;
let runner: CommandRunner;
let runs: PostgresRuns;
const claims = new MemoryClaims();
beforeAll(async () => {
  database = await createTestDatabase();
  runner = new CommandRunner(new PostgresEventStore(database.pool, new LocalWake()));
  runs = new PostgresRuns(database.pool, { pastMs: 1e12, futureMs: 1e12 });
  await database.pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ('shard', 1)`);
});
afterAll(() => database.drop());

let jobId: string;
const checkIds = [hex(), hex()];
beforeEach(async () => {
  jobId = hex();
  const request = { jobId, projectId, areaId: null, areaIds: [], checkIds, mode: 0 } as const;
  const context = systemContext({ kind: 'user', id: '1' }, Date.now());
  await runner.run(jobTarget(projectId, jobId), context, (job) => requestJob(job, request, context.occurredAt));
  await claims.claim(RUNNING_JOB, runningJobKey(request), jobId);
});

/** Abandons the jobs that had no progress for so long, without observing them first. */
async function sweep(afterMs: number): Promise<readonly string[]> {
  return (await abandonedJobs({ afterMs, observedMs: 0 })).abandon();
}

async function abandonedJobs(
  options: { readonly afterMs: number; readonly observedMs: number },
  heartbeats?: Heartbeats,
): Promise<AbandonedJobs> {
  const views = new MemoryViews(await events());
  return new AbandonedJobs(
    { recorded: recordedIn(database.pool), views, runs, end: new EndJobHandler(runner, claims) },
    options,
    heartbeats,
  );
}

async function events() {
  const all = await tableLog(database.pool).read({ after: -1, limit: 1_000 });
  return () => all;
}

const rowOf = async () => new MemoryViews(await events()).get(jobView, jobId);

async function found(status: 'ok' | 'error', agoMs: number, checkId = checkIds[0] ?? ''): Promise<void> {
  const at = Date.now() - agoMs;
  const item = {
    ...{
      at,
      checkId,
      outcome: status,
      confirming: false,
      jobId,
      httpStatus: 200,
      failures: [],
      page: null,
      latest: true,
      whole: { status },
      requested: 'aa',
      ends: null,
    },
    ...{ dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: 0, size: 0 },
  };
  await runs.accept([{ fence: { name: 'shard', epoch: 1 }, observed: [{ projectId, item }] }]);
}

describe('a job without progress', () => {
  it('is ended once with its results so far, and its group can be started again', async () => {
    await found('error', 10_000);
    expect(await sweep(0)).toContain(jobId);
    expect((await rowOf())?.end).toMatchObject({ because: 'given up', total: 1, failed: 1 });
    expect(await claims.holderOf(RUNNING_JOB, `${projectId} all`)).toBeNull();
    const before = (await events())().length;
    expect(await sweep(0)).toEqual([]);
    expect((await events())()).toHaveLength(before);
  });

  it('is kept while its request is recent', async () => {
    expect(await sweep(60_000)).toEqual([]);
    expect((await rowOf())?.end).toBeNull();
    await sweep(0);
  });

  it('is kept when the database clock jumps, as long as results arrive', async () => {
    let now = 0;
    const jobs = await abandonedJobs({ afterMs: 0, observedMs: 600_000 }, new Heartbeats(() => now));
    await found('ok', 10_000);
    expect(await jobs.abandon()).toEqual([]);
    now += 599_000;
    await found('ok', 9_000, checkIds[1]);
    expect(await jobs.abandon()).toEqual([]);
    now += 599_000;
    expect(await jobs.abandon()).toEqual([]);
    now += 1_000;
    expect(await jobs.abandon()).toContain(jobId);
  });

  it('is kept while results arrive, however old it is', async () => {
    await found('ok', -60_000);
    expect(await sweep(0)).toEqual([]);
    expect((await rowOf())?.end).toBeNull();
  });
});
