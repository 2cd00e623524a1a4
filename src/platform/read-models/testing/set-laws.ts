import type pg from 'pg';
import type { LogEvent } from '../../../kernel/event.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { dropSchema } from '../engine/schemas.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { ensureSetTables } from '../sets/set-tables.ts';
import { historyOf, tablesAfter } from './direct-apply.ts';
import { clockOrRandomnessIn, InspectedTx } from './inspected-tx.ts';
import { assertSameTables, type Law, type TableRows, tableRowsOf } from './law.ts';
import { assertNothingParked, deliverTwice, freshLog, type SpecEvent } from './projection-spec.ts';
import { awaitWithoutClockOrRandomness } from './without-clock-or-randomness.ts';

/** What a rebuild relies on, of a projection that writes its own SQL. */
export function lawsOfProjection(projection: Projection): readonly Law[] {
  return [
    { says: 'uses neither a clock nor randomness', check: (events, pool) => isDeterministic(projection, events, pool) },
    { says: 'uses no tables but its own', check: (events, pool) => usesOwnTables(projection, events, pool) },
    { says: 'is not changed by an event that is delivered twice', check: (events, pool) => isIdempotent(projection, events, pool) },
    { says: 'is the same filled from nothing as fed live', check: (events, pool) => fillsAsLive(projection, events, pool) },
    { says: 'depends on the order within a partition only', check: (events, pool) => keepsPartitions(projection, events, pool) },
  ];
}

/** The first delivery is rolled back, as by a crash before the commit: only state outside of the tables survives it. */
async function isIdempotent(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const history = await historyOf(projection, events, pool);
  const once = await tablesAfter(projection, pool, async (apply) => {
    for (const event of history) await apply([event]);
  });
  const twice = await tablesAfter(projection, pool, async (apply) => {
    for (const event of history) {
      await apply([event], 'roll back');
      await apply([event]);
    }
  });
  assertSameTables(
    named(projection),
    { 'delivered once': once, 'delivered twice': twice },
    'A handler must keep no state but its tables: variables are not rolled back',
  );
}

/** Through the service's own runner: event by event, each delivered twice, compared with all in one transaction. */
async function fillsAsLive(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const schema = schemaOf(projection);
  const log = await freshLog(pool, schema);
  const newRunner = (): SetRunner => new SetRunner(projection, log, pool, schema);
  await log.appendAll(events);
  await ensureSetTables(pool, projection, schema);
  await deliverTwice(newRunner, events.length);
  const live = await tableRowsOf(pool, schema);
  await dropSchema(pool, schema);
  await ensureSetTables(pool, projection, schema);
  const runner = newRunner();
  await runner.begin();
  await runner.applyPage(events.length);
  await assertNothingParked(pool);
  assertSameTables(named(projection), { 'fed live': live, 'filled from nothing': await tableRowsOf(pool, schema) });
}

/** After a retry, a partition is applied later than the others; one partition after another stands for every such order. */
async function keepsPartitions(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const history = await historyOf(projection, events, pool);
  const asLogged = await tablesAfter(projection, pool, (apply) => apply(history));
  const partitions = new Map<string, LogEvent[]>();
  for (const event of history) {
    const name = projection.partition(event);
    partitions.set(name, [...(partitions.get(name) ?? []), event]);
  }
  for (const order of [[...partitions.values()], [...partitions.values()].reverse()]) {
    const separately = await tablesAfter(projection, pool, async (apply) => {
      for (const partition of order) await apply(partition);
    });
    assertSameTables(
      named(projection),
      { 'in the order of the log': asLogged, 'one partition after another': separately },
      'After an event was parked, its partition is applied later than the others: let "partition" put events together that depend on each other',
    );
  }
}

async function isDeterministic(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const history = await historyOf(projection, events, pool);
  for (const table of projection.tables) refuseNondeterministic(`${named(projection)}: its tables`, table);
  const inspected: Projection = {
    ...projection,
    apply: (event, tx) =>
      awaitWithoutClockOrRandomness(async (allow) => {
        const inspect = (statement: string): void => {
          refuseNondeterministic('its statement', statement);
        };
        await projection.apply(event, new InspectedTx(tx, { inspect, allow }));
      }),
  };
  const fill = (): Promise<TableRows> => tablesAfter(inspected, pool, (apply) => apply(history));
  assertSameTables(
    named(projection),
    { 'filled once': await fill(), 'filled again': await fill() },
    'What it writes may come from events and its own tables only: no clock, no randomness, no state in variables',
  );
}

/** A transaction holds a lock on every table that it used. */
async function usesOwnTables(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const schema = schemaOf(projection);
  const history = await historyOf(projection, events, pool);
  await tablesAfter(projection, pool, async (apply) => {
    for (const event of history) {
      await apply([event], 'commit', async (client) => {
        const { rows } = await client.query<{ name: string }>(FOREIGN_TABLES, [schema]);
        if (rows.length === 0) return;
        const names = rows.map(({ name }) => name).join(', ');
        throw new Error(
          `${named(projection)}, ${event.type}: it uses ${names}. It may use its own tables only; read from events what it needs of others`,
        );
      });
    }
  });
}

const FOREIGN_TABLES = `SELECT DISTINCT n.nspname || '.' || c.relname AS name
  FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND c.relkind NOT IN ('i', 'I') AND n.nspname <> $1 AND n.nspname !~ '^(pg_|information_schema$)' ORDER BY 1`;

function refuseNondeterministic(where: string, statement: string): void {
  const found = clockOrRandomnessIn(statement);
  if (found !== null)
    throw new Error(`${where}: ${found} is not deterministic; use a value of the event: meta.occurredAt, recordedAt, id, n`);
}

const named = ({ name }: Projection): string => `projection ${name}`;
