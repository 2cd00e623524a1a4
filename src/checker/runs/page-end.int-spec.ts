import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { planWithForm } from '../../../test/support/form-plan.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { type Site, startHttp } from '../../../test/support/servers/site.ts';
import { systemClock } from '../../kernel/clock.ts';
import { PostgresRuns } from '../../platform/observations/runs/postgres-runs.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { jobOfExchange } from '../evidence/exchange-of.ts';
import { Judge } from '../judging/judge.ts';
import { Prober } from '../probe/prober.ts';
import { Trial } from '../trial/trial.ts';
import { CheckRunner, type CompletedRun } from './check-runner.ts';

const [PROJECT, CHECK] = ['0123456789abcdef01234567', 'aaaaaaaaaaaaaaaaaaaaaaaa'];
const WHOLE = '<html><body>Shop</body></html>';
const CUT = '<html><body>Shop<div';
const FAILURE = 'expected the page to end with </html>, as every passing run before, but it stops after "<html><body>Shop<div"';
const keyring = new MemoryKeyring();
const guard = new SsrfGuard({ allowed: ['127.0.0.0/8'] });
const judge = new Judge();

let database: TestDatabase;
let site: Site;
let runs: PostgresRuns;
let page: string;
let at: number;
beforeAll(async () => {
  database = await createTestDatabase();
  runs = new PostgresRuns(database.pool, { pastMs: 1e12, futureMs: 1e12 });
  site = await startHttp((request, response) => {
    response.setHeader('content-type', 'text/html').end(request.method === 'HEAD' ? '' : page);
  });
});
afterAll(async () => {
  await Promise.all([site.close(), judge.close()]);
  await database.drop();
});
beforeEach(async () => {
  [page, at] = [WHOLE, Date.now()];
  await database.pool.query('TRUNCATE run_flush, latest_run, job_run, observation_fence');
  await database.pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ('eu-1', 1)`);
});

interface Given {
  readonly path?: string;
  readonly options?: Partial<CheckRow['settings']['options']>;
  readonly defaultErrors?: boolean;
  readonly rules?: CheckRow['settings']['rules'];
}

function subject({ path = '/', options = {}, defaultErrors = true, rules = [] }: Given) {
  const { plan, check } = planWithForm(site.url);
  const project = { ...plan.project, id: PROJECT, settings: { ...plan.project.settings, checkDefaultErrors: defaultErrors } };
  const settings = { ...check.settings, url: path, rules, options: { ...check.settings.options, ...options } };
  return { watched: { ...plan, project, areas: new Map() }, check: { ...check, id: CHECK, projectId: PROJECT, settings } };
}

/** A run, as a checker that has just started makes and stores it. */
async function run(sent: string, given: Given = {}): Promise<CompletedRun> {
  page = sent;
  const { watched, check } = subject(given);
  const runner = new CheckRunner({
    ...{ prober: new Prober({ guard }), judge, keyring, clock: { now: () => (at += 1000) } },
    haveEnded: ({ projectId, id }, requested) => runs.haveEnded(projectId, requested, id),
  });
  const result = await runner.run(watched, check, { jobId: null, confirming: false });
  if (result.kind !== 'made') throw new Error('expected a result');
  await runs.accept([{ fence: { name: 'eu-1', epoch: 1 }, observed: [{ projectId: PROJECT, item: result.made }] }]);
  return result;
}

const failures = async (sent: string, given?: Given): Promise<readonly string[]> => (await run(sent, given)).made.failures;

describe('a page that stops in the middle', () => {
  it('fails where every passing run before ended with </html>', async () => {
    expect(await failures(WHOLE)).toEqual([]);
    const { made, accepted } = await run(CUT);
    expect(made).toMatchObject({ outcome: 'error', failures: [FAILURE], endExpected: true });
    expect(accepted.failing).toMatchObject({ status: 'error', rules: ['page'] });
    // A failing run proves nothing about the site when it works: the page fails until it is whole again.
    expect(await failures(CUT)).toEqual([FAILURE]);
    expect(await failures(WHOLE)).toEqual([]);
    expect(await failures(CUT)).toEqual([FAILURE]);
  });

  it('passes where the first run had no end tag, and in all later runs', async () => {
    expect(await failures(CUT)).toEqual([]);
    expect(await failures(WHOLE)).toEqual([]);
    expect(await failures(CUT)).toEqual([]);
  });

  it('passes after an upgrade, and where only a failing run had the tag', async () => {
    await failures(WHOLE);
    await database.pool.query('UPDATE latest_run SET requested = NULL, ends = NULL');
    expect(await failures(CUT)).toEqual([]);
    await database.pool.query('TRUNCATE latest_run');
    const rules = [{ type: 'text', op: 'sub', val: 'Sold out', origin: '', templateId: '', order: 0 }] as const;
    expect(await failures(WHOLE, { rules })).toHaveLength(1);
    expect(await failures(CUT)).toEqual([]);
  });

  it('is not expected to end where another page is requested', async () => {
    await failures(WHOLE);
    expect(await failures(CUT, { path: '/other' })).toEqual([]);
    await failures(WHOLE);
    expect(await failures(CUT, { options: { g: true } })).toEqual([]);
    await failures(WHOLE);
    expect(await failures('', { options: { method: 'HEAD' } })).toEqual([]);
  });

  it('passes without default errors, after which it may stop', async () => {
    await failures(WHOLE);
    expect(await failures(CUT)).toEqual([FAILURE]);
    expect(await failures(CUT, { defaultErrors: false })).toEqual([]);
    expect(await failures(CUT)).toEqual([]);
  });

  it('is judged alike from its evidence', async () => {
    await run(WHOLE);
    const exchange = (await run(CUT)).exchange();
    const job = jobOfExchange(exchange, Buffer.from(CUT));
    if (job === null) throw new Error('expected something to judge');
    expect(exchange.judged).toMatchObject({ endExpected: true, failures: [{ rule: null, sentence: FAILURE }] });
    expect(await judge.judge(job, 'file')).toMatchObject({ failures: [{ rule: null, sentence: FAILURE }] });
    expect((await run(WHOLE)).exchange().judged).not.toHaveProperty('endExpected');
  });

  it('fails in a dry run of the same request, too', async () => {
    await run(WHOLE);
    const trial = new Trial({ guard, keyring, clock: systemClock, runs, judge });
    page = CUT;
    const tried = async (given: Given) => {
      const { watched, check } = subject(given);
      return trial.run(watched.project, null, { ...check, id: `try ${PROJECT}` });
    };
    expect(await tried({})).toMatchObject({ result: { status: 'error', failures: [FAILURE] } });
    expect(await tried({ path: '/other' })).toMatchObject({ result: { status: 'ok' } });
  });
});
