import type pg from 'pg';
import { pause } from '../../../kernel/abortable.ts';
import type { Log } from '../../log/log.ts';
import type { Bell, Wake } from '../../postgres/wake.ts';
import { type Checkpoint, CheckpointMismatch, CheckpointMoved, ProjectionStopped, readSchemaState } from './checkpoint.ts';
import type { ReadYourWrites } from './read-your-writes.ts';
import { Rebuild, type RebuildTarget } from './rebuild.ts';
import { wakeTopicOf } from './schema-names.ts';
import { dropRetiredVersions, dropSchema, isNewerVersionAbandoned, publishSchema } from './schemas.ts';

/** Rung when an operator asked for something. */
export const CONTROL_TOPIC = 'projections';
const PAUSED_MS = 200;
/** Versions are retired a day after their last use. */
const RETIRE_MS = 60_000;
/** Fewer events than this in one step: the head of the log is near. */
const NEAR_HEAD = 1_000;

/** Applies the log to the tables of one schema. One runner writes at a time; a second one fails with `CheckpointMoved`. */
export interface ProjectionRunner {
  readonly checkpoint: Checkpoint;
  /** Starts from what the tables say: another runner may have moved them. */
  begin(): Promise<void>;
  /** Applies the next events; the number of them, 0 at the head of the log. `signal` ends a long step early. */
  applyNext(signal: AbortSignal): Promise<number>;
  /** Applies the parked events again that operators asked for. */
  retryParked(): Promise<void>;
}

/** What differs between views, whose rows the service writes, and set projections, whose SQL their team writes. */
export interface ProjectionTarget extends RebuildTarget {
  openRunner(): ProjectionRunner;
  /** Fills new tables and publishes them before the runner starts; absent where the runner does so. */
  fillNew?(signal: AbortSignal): Promise<void>;
  /** Lists the event that stopped the projection among the parked ones. */
  parkStopping?(error: ProjectionStopped): Promise<void>;
}

export interface LifecycleOptions {
  readonly log: Log;
  /** Its own pool: commits may lag behind the disk, statements may take long. */
  readonly db: pg.Pool;
  readonly wake: Wake;
  readonly report: (error: unknown) => void;
  /** Learns at once how far this process has come. */
  readonly readYourWrites?: Pick<ReadYourWrites, 'advance' | 'runningHere'>;
}

/** The lifecycle of a projection's tables while this process holds their lease: fill, publish, follow the log, pause, rebuild, retire. */
export class ProjectionLifecycle {
  private readonly schema: string;
  private isPaused = false;
  private isControlDue = true;
  /** Ends the wait at the head of the log. */
  private idle = new AbortController();
  private retiredAt = -Infinity;
  private rebuild: Rebuild | undefined;

  constructor(
    private readonly target: ProjectionTarget,
    private readonly options: LifecycleOptions,
  ) {
    this.schema = target.schema;
  }

  /** Returns when the signal aborts; rejects with what an operator has to know. */
  async run(signal: AbortSignal): Promise<void> {
    const { db, readYourWrites } = this.options;
    const state = await readSchemaState(db, this.schema);
    // A failed projection, such as one of another log, starts from nothing when an operator asks for a rebuild.
    if (state?.state === 'failed' && state.rebuild) await dropSchema(db, this.schema);
    try {
      await this.target.ensureTables(this.schema);
      // The cause of a failure may have ended: the log restored, the event voided.
      await db.query(
        `UPDATE projection SET error = NULL, state = CASE WHEN live_at IS NULL THEN 'building' ELSE 'live' END WHERE schema = $1 AND state = 'failed'`,
        [this.schema],
      );
      if ((await readSchemaState(db, this.schema))?.state === 'building') await this.target.fillNew?.(signal);
      if (!signal.aborted) await this.follow(signal);
    } catch (error) {
      if (error instanceof ProjectionStopped) {
        await db.query(`UPDATE projection SET state = 'failed', error = $2 WHERE schema = $1`, [this.schema, error.message]);
        await this.target.parkStopping?.(error);
      }
      throw error;
    } finally {
      readYourWrites?.runningHere(false);
      await this.rebuild?.cancel();
      this.rebuild = undefined;
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { log, db, wake, readYourWrites } = this.options;
    const runner = this.target.openRunner();
    const logBell = wake.bell('log');
    const following = new AbortController();
    void this.watchControl(following.signal);
    const endIdle = (): void => this.idle.abort();
    signal.addEventListener('abort', endIdle);
    try {
      await runner.begin();
      this.announce(runner);
      readYourWrites?.runningHere(true);
      let isLive = (await readSchemaState(db, this.schema))?.state === 'live';
      while (!signal.aborted) {
        if (this.isControlDue) await this.control(runner);
        if (this.isPaused) {
          await pause(PAUSED_MS, signal);
          continue;
        }
        const applied = await runner.applyNext(signal);
        // Steps are short far behind the head, too, while events are applied one by one.
        if (!isLive && applied < NEAR_HEAD && (await log.head()) - runner.checkpoint.n < NEAR_HEAD) {
          await publishSchema(db, this.schema, this.target.publicSchema);
          isLive = true;
        }
        if (applied > 0) this.announce(runner);
        else await this.rest(logBell, signal);
      }
    } finally {
      signal.removeEventListener('abort', endIdle);
      logBell.close();
      following.abort();
    }
  }

  /** Until there may be events, or an operator asked for something. */
  private async rest(logBell: Bell, signal: AbortSignal): Promise<void> {
    if (this.idle.signal.aborted) this.idle = new AbortController();
    if (!this.isControlDue && !signal.aborted) await logBell.poll(this.idle.signal);
  }

  private setControlDue(): void {
    this.isControlDue = true;
    this.idle.abort();
  }

  private announce({ checkpoint }: ProjectionRunner): void {
    this.options.readYourWrites?.advance(checkpoint.n);
    this.options.wake.ring(wakeTopicOf(this.schema));
  }

  /** In the background, so that a busy runner does not wait for the bell. */
  private async watchControl(signal: AbortSignal): Promise<void> {
    const bell = this.options.wake.bell(CONTROL_TOPIC);
    this.setControlDue();
    while (!signal.aborted) {
      await bell.poll(signal);
      this.setControlDue();
    }
    bell.close();
  }

  /** Does what operators asked for: a few small queries, at once when the bell rings or a fill ends, else every five seconds. */
  private async control(runner: ProjectionRunner): Promise<void> {
    const { log, db, report } = this.options;
    this.isControlDue = false;
    const state = await readSchemaState(db, this.schema);
    if (state === null) throw new Error(`the schema ${this.schema} was dropped`);
    const { n, eventId } = runner.checkpoint;
    // A crash or failover may have lost the last commits: the runner would be ahead of its tables until the next event.
    if (state.checkpoint.n !== n || state.checkpoint.eventId !== eventId) throw new CheckpointMoved(this.schema, n);
    const head = await log.head();
    if (head < n) throw new CheckpointMismatch(`the log ends at ${String(head)}, before the checkpoint of ${this.schema} at ${String(n)}`);
    this.isPaused = state.paused;
    if (state.state === 'building') await db.query('UPDATE projection SET total = $2 WHERE schema = $1', [this.schema, head + 1]);
    await runner.retryParked();
    if (state.rebuild) this.rebuild ??= new Rebuild(this.target, db, report, () => this.setControlDue());
    if (this.rebuild !== undefined && (await this.rebuild.swapAt(runner.checkpoint.n))) {
      this.rebuild = undefined;
      await runner.begin();
    }
    const { publicSchema } = this.target;
    if (publicSchema !== null && runner.checkpoint.n === head && (await isNewerVersionAbandoned(db, this.schema)))
      await publishSchema(db, this.schema, publicSchema);
    if (performance.now() - this.retiredAt < RETIRE_MS) return;
    this.retiredAt = performance.now();
    await dropRetiredVersions(db, this.schema);
  }
}
