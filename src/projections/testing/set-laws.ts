import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import { filled, historyOf } from './hand-fill.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { type Law, sameTables, type Tables, tablesOf } from './law.ts';
import { deliverTwice, freshLog, nothingParked, type SpecEvent } from './projection-spec.ts';
import { ensureSetSchema } from '../sets/set-schema.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { clockOrChance, InspectedTx } from './watched-tx.ts';
import { dropSchema } from '../views/unit-schema.ts';
import { awaitWithoutClockOrRandomness } from './without-clock-or-randomness.ts';
import { schemaOf } from '../engine/schema-names.ts';

/** What a projection that writes SQL of its own owes to whoever rebuilds it. */
export function lawsOfProjection(projection: Projection): readonly Law[] {
  return [
    { says: 'asks neither a clock nor chance', check: (events, pool) => asksNobody(projection, events, pool) },
    { says: 'touches no tables but its own', check: (events, pool) => staysAtHome(projection, events, pool) },
    { says: 'is not changed by an event that is delivered twice', check: (events, pool) => takesOnce(projection, events, pool) },
    { says: 'is the same filled from nothing as fed live', check: (events, pool) => fillsAsLive(projection, events, pool) },
    { says: 'depends on the order within a partition only', check: (events, pool) => keepsPartitions(projection, events, pool) },
  ];
}

/** The first delivery is undone with its transaction, as by a crash before the commit: what is left of it stands outside of the tables. */
async function takesOnce(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const history = await historyOf(projection, events, pool);
  const once = await filled(projection, pool, async (apply) => {
    for (const event of history) await apply([event]);
  });
  const twice = await filled(projection, pool, async (apply) => {
    for (const event of history) {
      await apply([event], 'undone');
      await apply([event]);
    }
  });
  sameTables(
    named(projection),
    { 'delivered once': once, 'delivered twice': twice },
    'A handler may remember nothing but in its tables: variables outside of it are not undone',
  );
}

/** The way of the service itself, with its checkpoints: one by one, each offered twice, against all in one batch. */
async function fillsAsLive(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const schema = schemaOf(projection);
  const log = await freshLog(pool, schema);
  const runner = (): SetRunner => new SetRunner(projection, log, pool, schema);
  await log.appendAll(events);
  await ensureSetSchema(pool, projection, schema);
  await deliverTwice(runner, events.length);
  const live = await tablesOf(pool, schema);
  await dropSchema(pool, schema);
  await ensureSetSchema(pool, projection, schema);
  const atOnce = runner();
  await atOnce.begin();
  await atOnce.step(events.length);
  await nothingParked(pool);
  sameTables(named(projection), { 'fed live': live, 'filled from nothing': await tablesOf(pool, schema) });
}

/** A partition that waited is applied after the others: what holds for one after another holds for every such order. */
async function keepsPartitions(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const history = await historyOf(projection, events, pool);
  const asLogged = await filled(projection, pool, (apply) => apply(history));
  const partitions = new Map<string, LogEvent[]>();
  for (const event of history) {
    const name = projection.partition(event);
    partitions.set(name, [...(partitions.get(name) ?? []), event]);
  }
  for (const order of [[...partitions.values()], [...partitions.values()].reverse()]) {
    const apart = await filled(projection, pool, async (apply) => {
      for (const partition of order) await apply(partition);
    });
    sameTables(
      named(projection),
      { 'in the order of the log': asLogged, 'one partition after another': apart },
      'After an event was parked, its partition comes later than the others: let "partition" put together what depends on each other',
    );
  }
}

async function asksNobody(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const history = await historyOf(projection, events, pool);
  for (const table of projection.tables) refuse(`${named(projection)}: its tables`, clockOrChance(table));
  const watched: Projection = {
    ...projection,
    apply: (event, tx) =>
      awaitWithoutClockOrRandomness(async (inside) => {
        const refused = (statement: string): void => refuse('its statement', clockOrChance(statement));
        await projection.apply(event, new InspectedTx(tx, { before: refused, leave: inside }));
      }),
  };
  const fill = (): Promise<Tables> => filled(watched, pool, (apply) => apply(history));
  sameTables(
    named(projection),
    { 'filled once': await fill(), 'and again': await fill() },
    'What it writes comes from the events and its own tables alone: no clock, no chance, nothing that variables remember',
  );
}

/** A transaction holds a lock on every table that it looked at. */
async function staysAtHome(projection: Projection, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const schema = schemaOf(projection);
  const history = await historyOf(projection, events, pool);
  await filled(projection, pool, async (apply) => {
    for (const event of history) {
      await apply([event], 'kept', async (client) => {
        const { rows } = await client.query<{ name: string }>(FOREIGN, [schema]);
        if (rows.length === 0) return;
        const names = rows.map(({ name }) => name).join(', ');
        throw new Error(
          `${named(projection)}, ${event.type}: it uses ${names}. It has its own tables only; what it needs of others stands in events`,
        );
      });
    }
  });
}

const FOREIGN = `SELECT DISTINCT n.nspname || '.' || c.relname AS name
  FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND c.relkind NOT IN ('i', 'I') AND n.nspname <> $1 AND n.nspname !~ '^(pg_|information_schema$)' ORDER BY 1`;

function refuse(where: string, found: string | null): void {
  if (found !== null)
    throw new Error(`${where}: ${found} is another one each time. Take it from the event: meta.occurredAt, recordedAt, id, n`);
}

const named = ({ name }: Projection): string => `projection ${name}`;
