import { setImmediate as yielding, setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Wake } from '../../persistence/wake.ts';
import type { Log } from '../../log/log.ts';
import { CheckpointMismatch, markFailed, markRunning, readState, assertAtCheckpoint } from '../engine/checkpoint.ts';
import { ControlWatch } from '../engine/control-watch.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { Unreadable } from '../views/fold.ts';
import { throttled } from '../engine/fill-rate-limit.ts';
import type { Trouble } from '../views/row.ts';
import { ensureSetSchema, publish, replaceSetSchema, TablesInvalid } from './set-schema.ts';
import { isAbandoned } from '../engine/shown-views.ts';
import { PAGE, SetRunner } from './set-runner.ts';
import { dropRetired, dropSchema } from '../views/unit-schema.ts';
import { rebuildSchemaOf, schemaOf, wakeTopicOf } from '../engine/schema-names.ts';

const LIVE_BATCH = 500;
const NEAR_ENOUGH = 2_000;
const IDLE_MS = 500;
const PAUSED_MS = 200;

export interface SetLifeOptions {
  readonly projection: Projection;
  readonly log: Log;
  /** Its own, so that it holds up nobody else. */
  readonly db: pg.Pool;
  readonly wake: Wake;
  readonly report: (error: unknown) => void;
  /** An event could not be taken, and its partition waits. */
  readonly parked?: (trouble: Trouble) => void;
}

/** The life of a set projection's tables while this process holds its lease: filled, published, abreast of the log, paused or filled again on demand. */
export class SetLife {
  private readonly schema: string;
  private isPaused = false;
  private rebuilding: { readonly runner: SetRunner; readonly filling: Promise<boolean>; readonly closing: AbortController } | undefined;
  private rebuilt = false;

  constructor(private readonly options: SetLifeOptions) {
    this.schema = schemaOf(options.projection);
  }

  async work(signal: AbortSignal): Promise<void> {
    const { projection, db } = this.options;
    const state = await readState(db, this.schema);
    // What cannot go on, because the log is another one, is given up when somebody asks for it.
    if (state?.state === 'failed' && state.rebuild) await dropSchema(db, this.schema);
    try {
      await ensureSetSchema(db, projection, this.schema);
      await markRunning(db, this.schema);
      await this.run(signal);
    } catch (error) {
      if (error instanceof CheckpointMismatch || error instanceof Unreadable || error instanceof TablesInvalid)
        await markFailed(db, this.schema, error.message);
      throw error;
    } finally {
      await this.cancelRebuild();
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { projection, log, db, wake } = this.options;
    const runner = new SetRunner(projection, log, db, this.schema, this.options.parked);
    const logBell = wake.bell('log');
    const control = new ControlWatch(wake);
    try {
      await runner.begin();
      let isLive = (await readState(db, this.schema))?.state === 'live';
      let isBehind = true;
      while (!signal.aborted) {
        if (control.due()) await this.control(runner);
        if (this.isPaused) {
          await sleep(PAUSED_MS, undefined, { signal }).catch(() => undefined);
          continue;
        }
        const taken: number = await (isBehind ? runner.stride() : runner.step(LIVE_BATCH));
        isBehind = taken >= LIVE_BATCH;
        if (!isLive && taken < PAGE) {
          await publish(db, projection, this.schema);
          isLive = true;
        }
        if (taken > 0) wake.ring(wakeTopicOf(this.schema));
        else await logBell.wait(IDLE_MS, signal);
        // A long way is gone in steps, so that requests get their turn.
        await yielding();
      }
    } finally {
      logBell.close();
      control.close();
    }
  }

  private async control(runner: SetRunner): Promise<void> {
    const { log, db } = this.options;
    const state = await readState(db, this.schema);
    if (state === null) throw new Error(`${this.schema} was taken away`);
    assertAtCheckpoint(this.schema, runner.checkpoint, state.checkpoint);
    const head = await log.head();
    if (head < runner.position)
      throw new CheckpointMismatch(`the log is shorter than ${this.schema}, which stands at ${String(runner.position)}`);
    this.isPaused = state.paused;
    if (state.state === 'building') await db.query('UPDATE projection SET total = $2 WHERE schema = $1', [this.schema, head + 1]);
    await runner.retry();
    if (state.rebuild) this.beginRebuild();
    if (this.rebuilt) await this.swap(runner);
    if (runner.position === head && (await isAbandoned(db, this.schema))) await publish(db, this.options.projection, this.schema);
    await dropRetired(db, this.schema);
  }

  private beginRebuild(): void {
    if (this.rebuilding !== undefined) return;
    const { projection, log, db, report } = this.options;
    const schema = rebuildSchemaOf(this.schema);
    const closing = new AbortController();
    const runner = new SetRunner(projection, log, db, schema, this.options.parked, throttled());
    const fill = async (): Promise<boolean> => {
      await dropSchema(db, schema);
      await ensureSetSchema(db, projection, schema);
      await runner.begin();
      while (!closing.signal.aborted) {
        const head = await log.head();
        await db.query('UPDATE projection SET total = $2 WHERE schema = $1', [schema, head + 1]);
        await runner.stride();
        if (head - runner.position < NEAR_ENOUGH) return true;
        await yielding();
      }
      return false;
    };
    const filling = fill().catch(async (error: unknown) => {
      if (!closing.signal.aborted) report(error);
      await db.query('UPDATE projection SET rebuild = false WHERE schema = $1', [this.schema]).catch(() => undefined);
      this.rebuilding = undefined;
      return false;
    });
    this.rebuilding = { runner, filling, closing };
    void filling.then((done) => (this.rebuilt = done));
  }

  /** Between two batches of the tables in use: exactly as far as they are, and into their place. */
  private async swap(live: SetRunner): Promise<void> {
    const { projection, db } = this.options;
    const rebuilding = this.rebuilding;
    this.rebuilt = false;
    if (rebuilding === undefined) return;
    while (rebuilding.runner.position < live.position) await rebuilding.runner.stride(live.position);
    await replaceSetSchema(db, projection, this.schema, rebuildSchemaOf(this.schema));
    this.rebuilding = undefined;
    await live.begin();
  }

  private async cancelRebuild(): Promise<void> {
    this.rebuilding?.closing.abort();
    await this.rebuilding?.filling;
    this.rebuilding = undefined;
    this.rebuilt = false;
  }
}
