import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { openPool } from '../../../src/platform/postgres/pool.ts';
import { LocalWake } from '../../../src/platform/postgres/wake.ts';
import { PostgresEventStore } from '../../../src/platform/event-store/postgres/postgres-event-store.ts';
import { viewUnit } from '../../../src/platform/read-models/views/unit.ts';
import { coreViews } from '../../../src/app/projection-table.ts';
import { crashEventStoreAtRandom } from '../../faults/event-store-crash.ts';
import { Alerts } from '../../faults/service/alerts.ts';
import { checkInvariants } from '../../faults/service/invariants/check-invariants.ts';
import type { ExpectedState } from '../../faults/service/invariants/invariant.ts';
import { writesOnce } from '../../faults/service/invariants/writes-once.ts';
import { Load } from '../../faults/service/load.ts';
import { ClientPace } from '../../faults/service/client-pace.ts';
import { injectFaultsInRounds, type Plan, type Totals } from '../../faults/service/rounds.ts';
import { TEAM } from '../../faults/service/team-projections.ts';
import { generator } from '../../simulation/random.ts';
import { TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const { FAULT_ROUNDS, FAULT_STRIKES = '8', FAULT_SEED = '20260101', FAULT_ONLY, TEST_EVENTSTORE } = process.env;
/** `npm run test:faults` injects every fault in twenty rounds (docs/faults.md). */
const isLong = FAULT_ROUNDS !== undefined;
const rounds = Number(FAULT_ROUNDS ?? 1);
const say = (line: string): void => {
  if (isLong) process.stderr.write(`${line}\n`);
};

jest.setTimeout(900_000 * rounds);

const ALWAYS = ['starts', 'Postgres killed again', 'both killed', "team's process"];
/** Faults of the short run, and its writers: slow ones, because it mostly waits for the next alert. */
const short = {
  only: [...ALWAYS, 'noted as delivered', 'event store killed', 'checkpoint of a reactor'],
  load: { renaming: 2, changing: 1, alerting: 20, pauseMs: 120 },
};
const long = { only: FAULT_ONLY?.split(',') ?? [] };

type Where = Pick<Plan, 'engine' | 'databases'> & { readonly name: string; readonly share: number; readonly only?: readonly string[] };
/** `share`: of the rounds. */
const places: readonly Where[] = [
  { name: 'postgres', engine: 'postgres', share: 1 },
  { name: 'double', engine: 'double', share: 0.5 },
  { name: 'observations apart', engine: 'postgres', databases: 'observations apart', share: 0.5, only: ['observations'] },
  { name: 'read replica', engine: 'postgres', databases: 'read replica', share: 0.5, only: ['replica'] },
];
const inject = ({ engine, databases = 'one', share, only }: Where): Promise<Totals> =>
  injectFaultsInRounds({
    ...{ engine, databases, rounds: Math.ceil(rounds * share), strikes: Number(FAULT_STRIKES), random: generator(Number(FAULT_SEED)), say },
    ...(isLong ? long : { ...short, only: only ?? short.only }),
  });

describe(`fault injection under load, seed ${FAULT_SEED}`, () => {
  it.each(places)('keeps every invariant: $name', async (where) => {
    const deaths = await inject(where);
    if (isLong) return;
    expect(deaths.service + deaths.postgres + deaths.observations + deaths.replica).toBeGreaterThan(2);
    if (where.databases !== undefined) return;
    expect(deaths.service).toBeGreaterThan(2);
    expect(deaths.atTheMoment).toBeGreaterThan(0);
    expect(deaths.postgres).toBeGreaterThan(2);
    expect(deaths.team).toBeGreaterThan(0);
  });

  (TEST_EVENTSTORE === undefined ? it.skip : it)(
    'keeps every invariant: a real event store (skipped unless TEST_EVENTSTORE is the command that starts one)',
    async () => {
      await inject({ name: 'server', engine: 'server', share: 0.25 });
    },
  );

  it('keeps every acknowledged append, while writers and Postgres are killed', async () => {
    const { postgres } = await crashEventStoreAtRandom(Math.ceil(2.5 * rounds) + 2, generator(Number(FAULT_SEED)), say);
    expect(postgres).toBeGreaterThan(0);
  });
});

const core = viewUnit('core', coreViews).schema;
const LAST = '(SELECT max(n) FROM log)';
const onceMore = (type: string): string => `
  INSERT INTO log SELECT ${LAST} + 1, source_position || 'x', gen_random_uuid(), stream,
    (SELECT max(revision) + 1 FROM log s WHERE s.stream = l.stream), type, version, scope,
    (SELECT max(recorded_at) + interval '1 second' FROM log), data, meta
  FROM log l WHERE type = '${type}' ORDER BY n DESC LIMIT 1`;
const without = (type: string): string => `DELETE FROM log WHERE n = (SELECT max(n) FROM log WHERE type = '${type}')`;

/** Types that acknowledged requests leave. */
const acknowledged = [
  ...['ProjectCreated', 'ProjectRenamed', 'AreaCreated', 'AreaRenamed', 'AreaDeleted', 'CheckCreated', 'CheckRenamed', 'CheckDeleted'],
  ...['UptimePeriodChanged', 'ChannelSet', 'MemberInvited', 'InvitationWithdrawn', 'JobRequested', 'NotificationChannelSwitched'],
];

/** Damage to the data, with the finding that must be reported. */
const planted: readonly (readonly [string, string, RegExp])[] = [
  ['a step back in time', `UPDATE log SET recorded_at = recorded_at - interval '1 hour' WHERE n = ${LAST}`, /logOrder does not hold/],
  ['a gap in a stream', `UPDATE log SET revision = revision + 1 WHERE n = ${LAST}`, /logOrder does not hold/],
  ['a gap in the log', `UPDATE log SET n = n + 1 WHERE n = ${LAST}`, /logOrder does not hold/],
  ['a delivery recorded twice', onceMore('NotificationDelivered'), /recorded as delivered 2 times/],
  ['a run that was not kept', 'TRUNCATE run_flush, run_hour', /made from a run that was not kept/],
  ['a result of a job that was not kept', 'TRUNCATE job_run', /the job \w+ states 1 results and has 0/],
  [
    'a key that outlives its account',
    `UPDATE subject_keys SET wrapped = '\\x00', erased_at = NULL WHERE wrapped IS NULL`,
    /was erased but its key exists/,
  ],
  ['an erasure that was not recorded', without('AccountErased'), /was erased 0 times/],
  ['a row of a read model lost', `DELETE FROM "${core}".project`, /a read model differs from the log: project \w+ is missing/],
  ['an event folded twice', 'UPDATE p_titles_v1.title SET times = times + 1', /a read model differs from the log: titles/],
  ['a tile that was changed', `UPDATE ledger_tile SET hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))`, /the seal does not verify/],
  ['sealing that stopped', `UPDATE ledger_state SET stopped = 'it'`, /sealing has stopped: it/],
];

describe('the invariants checked after faults', () => {
  let service: TestService;
  let promised: Omit<ExpectedState, 'pool' | 'observationPool' | 'url'>;

  beforeAll(async () => {
    service = await TestService.start({
      env: {
        REGISTRATION: 'open',
        RATE_LIMIT: '0',
        ALLOW_TARGETS: '127.0.0.0/8',
        ALLOW_HOOKS: '127.0.0.0/8',
        PROJECTIONS: TEAM,
        // A copy of its one database is damaged.
        EVENTSTORE_URL: '',
        OBSERVATIONS_URL: '',
      },
    });
    const pool = openPool(service.database.url, { name: 'faults', max: 2 });
    const pace = new ClientPace();
    const load = await Load.begin(() => service.url, pace, { renaming: 1, changing: 1 });
    const alerts = await Alerts.begin(load.client(), new PostgresEventStore(pool, new LocalWake()), pace, 1);
    const enough = (): boolean => load.erased.length > 0 && alerts.delivered > 1;
    await until(() => Promise.resolve(enough() || load.failures.length + alerts.failures.length > 0), 60_000, 'one of everything');
    await Promise.all([load.end(), alerts.end()]);
    expect([...load.failures, ...alerts.failures]).toEqual([]);
    const quiet = `SELECT FROM ledger_state s, ledger_checkpoint c WHERE s.size = c.size AND s.size = (SELECT count(*) FROM log)
      AND NOT EXISTS (SELECT FROM projection WHERE n + 1 < s.size)`;
    await until(async () => (await pool.query(quiet)).rowCount === 1, 30_000, 'everything folded and sealed');
    await service.kill();
    await Promise.all([alerts.close(), load.close(), pool.end()]);
    const { deeds, erased } = load;
    promised = {
      masterKey: service.masterKey,
      ...{ deeds: deeds.snapshot(), erased, closed: [], notes: [], hasArrived: (id) => alerts.arrivals.has(id) },
    };
  });
  afterAll(() => service.stop());

  /** After damage to a copy of the service's database. */
  async function afterwards<Found>(statements: readonly string[], find: (state: ExpectedState) => Promise<Found>): Promise<Found> {
    const name = 'planted';
    const url = new URL(service.database.url);
    const admin = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${url.pathname.slice(1)} STRATEGY FILE_COPY`);
    url.pathname = `/${name}`;
    const pool = openPool(url.href, { name: 'faults', max: 2 });
    try {
      for (const statement of statements) expect((await pool.query(statement)).rowCount).not.toBe(0);
      return await find({ ...promised, pool, observationPool: pool, url: url.href });
    } finally {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    }
  }

  const said = (state: ExpectedState): Promise<string> =>
    checkInvariants(state).then(
      () => 'all holds',
      (error: unknown) => (error instanceof Error ? error.message : 'something else'),
    );

  it('hold for a service without faults', async () => {
    expect(await afterwards([], said)).toBe('all holds');
  });

  it.each(planted)('detect %s', async (_, statement, finding) => {
    expect(await afterwards([statement], said)).toMatch(finding);
  });

  it.each([
    ['that is lost', without, 'acknowledged and lost'],
    ['that is there twice', onceMore, 'written twice'],
  ] as const)('detect an event %s, of every type', async (_, damage, words) => {
    const found = (await afterwards(acknowledged.map(damage), writesOnce)).join('\n');
    expect(acknowledged.filter((type) => !new RegExp(`${words}: .* left \\d ${type}`).test(found))).toEqual([]);
  });

  it('detect an undelivered message, an unclosed day and a checkpoint that does not match the log', async () => {
    const closed = [{ projectId: 'ab'.repeat(12), day: '2026-01-01' }];
    const notes = [{ name: 'kept', note: 'no note of ours' }];
    const findings = await afterwards([], (state) => said({ ...state, hasArrived: () => false, closed, notes }));
    expect(findings).toMatch(/recorded as delivered but not received/);
    expect(findings).toMatch(/never closed: (ab){12} 2026-01-01/);
    expect(findings).toMatch(/the seal does not verify/);
  });
});
