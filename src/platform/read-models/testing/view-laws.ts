import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type pg from 'pg';
import type { LogEvent } from '../../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { errorText } from '../engine/parked-events.ts';
import { type Law, assertSameTables, tableRowsOf } from './law.ts';
import { deliverTwice, freshLog, assertNothingParked, type SpecEvent } from './projection-spec.ts';
import { withoutClockOrRandomness } from './without-clock-or-randomness.ts';
import { type ViewUnit, viewUnit } from '../views/unit.ts';
import { UnitViews } from '../views/unit-views.ts';
import { fillTo } from '../views/view-fill.ts';
import { ViewRunner } from '../views/view-runner.ts';
import { upcast } from '../../../events.ts';
import { dropSchema } from '../engine/schemas.ts';
import { ensureViewTables, finishViewTables } from '../views/view-tables.ts';

export const lawsOfView = (view: View): readonly Law[] => lawsOfUnit(viewUnit('laws', [view]));

/** The laws of all views of a unit at once: each event is applied in one transaction for all of them. `asOfEvery`: of so many events one is compared with the past. */
export function lawsOfUnit(unit: ViewUnit, asOfEvery = 1): readonly Law[] {
  return [
    {
      says: 'folds into JSON without a clock or randomness, and does not mutate its rows',
      check: (events, pool) => arePure(unit, events, pool),
    },
    { says: 'is not changed by an event that is delivered twice', check: (events, pool) => isIdempotent(unit, events, pool) },
    { says: 'is the same filled from nothing as fed live', check: (events, pool) => fillsAsLive(unit, events, pool) },
    { says: 'is the same as of every event as its table was then', check: (events, pool) => foldsAsTable(unit, asOfEvery, events, pool) },
  ];
}

async function arePure(unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await freshLog(pool, unit.schema);
  const history = (await log.appendAll(events)).map(upcast);
  for (const view of unit.views)
    assertPure(
      view,
      history.filter(({ type }) => view.handles.has(type)),
    );
}

function assertPure(view: View, history: readonly LogEvent[]): void {
  const fold = (): ReadonlyMap<string, object | null> => withoutClockOrRandomness(() => foldFrozen(view, history));
  const rows = fold();
  deepStrictEqual(fold(), rows, `view ${view.name}: folding the same events twice gives two different results`);
  for (const [key, row] of rows) {
    deepStrictEqual(
      JSON.parse(JSON.stringify(row)),
      row,
      `view ${view.name}: the row ${key} holds a value that JSON cannot represent, such as undefined or a Date`,
    );
  }
}

function foldFrozen(view: View, events: readonly LogEvent[]): ReadonlyMap<string, object | null> {
  const rows = new Map<string, object | null>();
  for (const event of events) {
    const key = view.key(event);
    if (key !== null) rows.set(key, deepFrozen(evolved(view, rows.get(key) ?? null, event)));
  }
  return rows;
}

function evolved(view: View, row: object | null, event: LogEvent): object | null {
  try {
    return view.evolve(row, event);
  } catch (cause) {
    throw new Error(`view ${view.name}, ${event.type}: ${errorText(cause)}`, { cause });
  }
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFrozen(inner);
  }
  return value;
}

async function isIdempotent(unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await liveTables(unit, events, pool);
  await deliverTwice(() => new ViewRunner(unit, log, pool), events.length);
  await assertNothingParked(pool);
}

async function fillsAsLive(unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await liveTables(unit, events, pool);
  const runner = new ViewRunner(unit, log, pool);
  await runner.begin();
  while ((await runner.applyPage(7)) > 0);
  await assertNothingParked(pool);
  const live = await tableRowsOf(pool, unit.schema);
  const beside = `${unit.schema}_beside`;
  await dropSchema(pool, beside);
  await ensureViewTables(pool, unit, beside);
  await fillTo({ unit, log, db: pool, schema: beside, signal: new AbortController().signal }, events.length - 1);
  assertSameTables(`view ${unit.name}`, { 'fed live': live, 'filled from nothing': await tableRowsOf(pool, beside) });
  await dropSchema(pool, beside);
}

async function foldsAsTable(unit: ViewUnit, asOfEvery: number, events: readonly SpecEvent[], pool: pg.Pool): Promise<void> {
  const log = await liveTables(unit, events, pool);
  const runner = new ViewRunner(unit, log, pool);
  await runner.begin();
  const views = new UnitViews(unit, log, pool, () => runner.position);
  const known: { readonly view: View; readonly n: number; readonly scope: string; readonly listed: string }[] = [];
  const seen = new Map<View, number>();
  for (const { scope, type } of events) {
    ok((await runner.applyPage(1)) === 1);
    for (const view of unit.views.filter(({ handles }) => handles.has(type))) {
      const nth = seen.get(view) ?? 0;
      seen.set(view, nth + 1);
      if (nth % asOfEvery === 0)
        known.push({ view, n: runner.position, scope, listed: JSON.stringify(await views.now().list(view, { scope })) });
    }
  }
  for (const { view, n, scope, listed } of known) {
    strictEqual(
      JSON.stringify(await views.asOf(n).list(view, { scope })),
      listed,
      `view ${view.name}: as of ${String(n)} ${scope} differs`,
    );
  }
}

async function liveTables(unit: ViewUnit, events: readonly SpecEvent[], pool: pg.Pool): ReturnType<typeof freshLog> {
  const log = await freshLog(pool, unit.schema);
  await ensureViewTables(pool, unit);
  await finishViewTables(pool, unit);
  await log.appendAll(events);
  return log;
}
