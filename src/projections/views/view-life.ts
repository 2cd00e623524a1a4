import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Wake } from '../../persistence/wake.ts';
import type { Log } from '../../log/log.ts';
import { CheckpointMismatch, markFailed, markRunning, readState, assertAtCheckpoint } from '../engine/checkpoint.ts';
import { ControlWatch } from '../engine/control-watch.ts';
import { Unreadable } from './fold.ts';
import { forgetUnreadable, park } from './parked-rows.ts';
import type { Trouble } from './row.ts';
import type { ViewUnit } from './unit.ts';
import { dropRetired, dropSchema, ensureSchema, finishSchema, showAgain } from './unit-schema.ts';
import { isAbandoned } from '../engine/shown-views.ts';
import { EventNotApplicable } from './view-builder.ts';
import { fillToHead } from './view-fill.ts';
import { Rebuild } from './view-rebuild.ts';
import { ViewRunner } from './view-runner.ts';
import type { ReadYourWrites } from '../engine/read-your-writes.ts';
import { wakeTopicOf } from '../engine/schema-names.ts';

const IDLE_MS = 500;
const PAUSED_MS = 200;
const NEAR_ENOUGH = 5_000;

export interface ViewLifeOptions {
  readonly unit: ViewUnit;
  readonly log: Log;
  /** Commits may lag behind the disk; statements may take long. */
  readonly db: pg.Pool;
  readonly wake: Wake;
  readonly readYourWrites: Pick<ReadYourWrites, 'advance' | 'runningHere'>;
  readonly report: (error: unknown) => void;
  /** A row waits behind an event that its view cannot take. */
  readonly parked?: (trouble: Trouble) => void;
}

/** The life of a unit's tables while this process holds its lease: filled from nothing, then abreast of the log, filled again on demand. */
export class ViewLife {
  private isPaused = false;
  private rebuild: Rebuild | undefined;

  constructor(private readonly options: ViewLifeOptions) {}

  /** Returns when the signal is given; throws what an operator has to know. */
  async work(signal: AbortSignal): Promise<void> {
    const { unit, db, readYourWrites } = this.options;
    const state = await readState(db, unit.schema);
    // What cannot go on, because the log is another one, is given up when somebody asks for it.
    if (state?.state === 'failed' && state.rebuild) await dropSchema(db, unit.schema);
    await ensureSchema(db, unit);
    try {
      await markRunning(db, unit.schema);
      await this.fill(signal);
      if (!signal.aborted) await this.follow(signal);
    } catch (error) {
      const isFinal = error instanceof CheckpointMismatch || error instanceof Unreadable || error instanceof EventNotApplicable;
      if (isFinal) await markFailed(db, unit.schema, error.message);
      // Seen, tried again and skipped like what stops a row later.
      if (error instanceof EventNotApplicable) await park(db, unit.schema, error.trouble);
      if (error instanceof Unreadable) await park(db, unit.schema, error.troubleIn(unit));
      throw error;
    } finally {
      readYourWrites.runningHere(false);
      await this.rebuild?.cancel();
      this.rebuild = undefined;
    }
  }

  private async fill(signal: AbortSignal): Promise<void> {
    const { unit, log, db, readYourWrites } = this.options;
    const state = await readState(db, unit.schema);
    if (state?.state !== 'building') return;
    await db.query('DELETE FROM projection_parked WHERE schema = $1', [unit.schema]);
    await fillToHead({ unit, log, db, schema: unit.schema, signal }, NEAR_ENOUGH);
    if (signal.aborted) return;
    await finishSchema(db, unit);
    readYourWrites.advance((await readState(db, unit.schema))?.checkpoint.n ?? -1);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { unit, log, db, wake, readYourWrites, parked } = this.options;
    const runner = new ViewRunner(unit, log, db, {
      advance: (n) => {
        readYourWrites.advance(n);
        wake.ring(wakeTopicOf(unit.schema));
      },
      ...(parked !== undefined && { parked }),
    });
    const logBell = wake.bell('log');
    const control = new ControlWatch(wake);
    try {
      await runner.begin();
      readYourWrites.runningHere(true);
      // What stopped it before would stop it again.
      if ((await runner.step()) > 0) await forgetUnreadable(db, unit.schema);
      while (!signal.aborted) {
        if (control.due()) await this.control(runner);
        if (this.isPaused) await sleep(PAUSED_MS, undefined, { signal }).catch(() => undefined);
        else if ((await runner.step()) === 0) await logBell.wait(IDLE_MS, signal);
      }
    } finally {
      logBell.close();
      control.close();
    }
  }

  /** What operators asked for; a few small queries a second. */
  private async control(runner: ViewRunner): Promise<void> {
    const { unit, log, db, report } = this.options;
    const state = await readState(db, unit.schema);
    if (state === null) throw new Error(`${unit.schema} was taken away`);
    assertAtCheckpoint(unit.schema, runner.checkpoint, state.checkpoint);
    const head = await log.head();
    if (head < runner.position)
      throw new CheckpointMismatch(`the log is shorter than ${unit.schema}, which stands at ${String(runner.position)}`);
    this.isPaused = state.paused;
    await runner.retry();
    if (state.rebuild) this.rebuild ??= Rebuild.begin(unit, log, db, report);
    if (this.rebuild !== undefined && (await this.rebuild.swapAt(runner.position))) {
      this.rebuild = undefined;
      await runner.begin();
    }
    if (unit.shown !== null && runner.position === head && (await isAbandoned(db, unit.schema))) await showAgain(db, unit);
    await dropRetired(db, unit.schema);
  }
}
