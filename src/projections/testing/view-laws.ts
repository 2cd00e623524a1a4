import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { reasonOf } from '../views/fold.ts';
import { type Law, sameTables, tablesOf } from './law.ts';
import { deliverTwice, freshLog, nothingParked, type SpecEvent } from './projection-spec.ts';
import { withoutClockOrRandomness } from './without-clock-or-randomness.ts';
import { dropSchema, ensureSchema, finishSchema } from '../views/unit-schema.ts';
import { type ViewUnit, viewUnit } from '../views/unit.ts';
import { UnitViews } from '../views/views-at.ts';
import { fillTo } from '../views/view-fill.ts';
import { ViewRunner } from '../views/view-runner.ts';
import { upcast } from '../../domain/events.ts';

const silent = { advance: () => undefined };

export function lawsOfView(view: View): readonly Law[] {
  const unit = viewUnit('laws', [view]);
  return [
    {
      says: 'folds without a clock, without chance, into JSON, and leaves its rows alone',
      check: (events, pool) => isPure(view, unit, events, pool),
    },
    { says: 'is not changed by an event that is delivered twice', check: (events, pool) => takesOnce(unit, events, pool) },
    { says: 'is the same filled from nothing as folded live', check: (events, pool) => fillsAsLive(unit, events, pool) },
    { says: 'is the same as of every event as its table was', check: (events, pool) => foldsAsTable(view, unit, events, pool) },
  ];
}

async function isPure(view: View, unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await freshLog(pool, unit.schema);
  const history = (await log.appendAll(events)).map(upcast);
  const fold = (): ReadonlyMap<string, object | null> => withoutClockOrRandomness(() => foldFrozen(view, history));
  const rows = fold();
  deepStrictEqual(fold(), rows, `view ${view.name}: folding the same events twice gives two different results`);
  for (const [key, row] of rows) {
    deepStrictEqual(
      JSON.parse(JSON.stringify(row)),
      row,
      `view ${view.name}: the row ${key} holds what JSON cannot, such as undefined or a Date`,
    );
  }
}

function foldFrozen(view: View, events: readonly LogEvent[]): ReadonlyMap<string, object | null> {
  const rows = new Map<string, object | null>();
  for (const event of events) {
    const key = view.key(event);
    if (key !== null) rows.set(key, frozen(evolved(view, rows.get(key) ?? null, event)));
  }
  return rows;
}

function evolved(view: View, row: object | null, event: LogEvent): object | null {
  try {
    return view.evolve(row, event);
  } catch (cause) {
    throw new Error(`view ${view.name}, ${event.type}: ${reasonOf(cause)}`, { cause });
  }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

async function takesOnce(unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await liveTables(unit, events, pool);
  await deliverTwice(() => new ViewRunner(unit, log, pool, silent), events.length);
  await nothingParked(pool);
}

async function fillsAsLive(unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await liveTables(unit, events, pool);
  const runner = new ViewRunner(unit, log, pool, silent);
  await runner.begin();
  while ((await runner.step(7)) > 0);
  await nothingParked(pool);
  const live = await tablesOf(pool, unit.schema);
  const beside = `${unit.schema}_beside`;
  await dropSchema(pool, beside);
  await ensureSchema(pool, unit, beside);
  await fillTo({ unit, log, db: pool, schema: beside, signal: new AbortController().signal }, events.length - 1);
  sameTables(`view ${unit.name}`, { 'fed live': live, 'filled from nothing': await tablesOf(pool, beside) });
  await dropSchema(pool, beside);
}

async function foldsAsTable(view: View, unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await liveTables(unit, events, pool);
  const runner = new ViewRunner(unit, log, pool, silent);
  await runner.begin();
  const views = new UnitViews(unit, log, pool, () => runner.position);
  const known: { readonly n: number; readonly scope: string; readonly listed: string }[] = [];
  for (const { scope } of events) {
    ok((await runner.step(1)) === 1);
    known.push({ n: runner.position, scope, listed: JSON.stringify(await views.now().list(view, { scope })) });
  }
  for (const { n, scope, listed } of known) {
    strictEqual(
      JSON.stringify(await views.asOf(n).list(view, { scope })),
      listed,
      `view ${view.name}: as of ${String(n)} ${scope} differs`,
    );
  }
}

async function liveTables(unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): ReturnType<typeof freshLog> {
  const log = await freshLog(pool, unit.schema);
  await ensureSchema(pool, unit);
  await finishSchema(pool, unit);
  await log.appendAll(events);
  return log;
}
