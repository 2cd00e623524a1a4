import type pg from 'pg';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { PostgresLog } from '../../platform/log/postgres-log.ts';
import type { LogReader } from '../../platform/log/log.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { isSetProjection, type Projection } from '../../platform/read-models/authoring/define-projection.ts';
import type { View } from '../../platform/read-models/authoring/define-view.ts';
import type { Checkpoint } from '../../platform/read-models/engine/checkpoint.ts';
import type { ProjectionRunner } from '../../platform/read-models/engine/lifecycle.ts';
import type { ParkedEvent } from '../../platform/read-models/engine/parked-events.ts';
import { type Applying, localSetWork, type SetApplier, type SetWork } from '../../platform/read-models/sets/set-work.ts';
import { teamUnit } from '../../platform/read-models/views/unit.ts';
import { localViewWork, type ViewWork } from '../../platform/read-models/views/view-work.ts';
import type { Applied, TeamAccess, WorkerCalls } from '../calls.ts';
import { TeamLog } from './team-log.ts';
import type { WorkerPools } from './worker-pools.ts';

type Given<Name extends keyof WorkerCalls> = WorkerCalls[Name]['given'];

interface Connected {
  readonly set: SetWork | null;
  readonly view: ViewWork | null;
  readonly runners: Map<string, ProjectionRunner | SetApplier>;
}

/** One follows the log and one fills a rebuild; as many read the log for them. */
const CONNECTIONS = 2;

/** Runs the handlers of the projections of one package, as the service asks for it. */
export class ProjectionWorker {
  private readonly connected = new Map<string, Connected>();
  private readonly parking = new WeakMap<object, ParkedEvent>();
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly projections: readonly (Projection | View)[],
    private readonly pools: WorkerPools,
    private readonly onParked: (parked: ParkedEvent) => void,
    private readonly onApplying: (applying: Applying) => void,
  ) {}

  connect({ projection: name, access }: Given<'connect'>): null {
    const projection = this.projections.find((candidate) => candidate.name === name);
    if (projection === undefined) throw new Error(`the package has no projection ${name}`);
    const known = this.connected.get(name);
    // The service begins again, perhaps after another instance: nothing of the former runners is left.
    known?.runners.clear();
    if (known !== undefined) return null;
    const db = this.pools.open(access, { name: `team ${name}`, max: CONNECTIONS });
    const log = logOf(this.pools.open(access, { name: `team ${name} log`, max: CONNECTIONS }), access);
    const { onParked, onApplying, turns } = this;
    const isSet = isSetProjection(projection);
    this.connected.set(name, {
      set: isSet ? localSetWork(projection, { log, db, onParked, onApplying, turns }) : null,
      view: isSet ? null : localViewWork({ unit: teamUnit(projection), log, db, onParked }),
      runners: new Map(),
    });
    return null;
  }

  createTables({ projection, schema }: Given<'createTables'>): Promise<null> {
    return this.setOf(projection)
      .createTables(schema)
      .then(() => null);
  }

  openRunner({ projection, schema, pace, oneByOneUntil }: Given<'openRunner'>): null {
    const { set, view, runners } = this.of(projection);
    const runner = set?.openRunner(schema, pace, oneByOneUntil) ?? view?.openRunner();
    if (runner !== undefined) runners.set(schema, runner);
    return null;
  }

  begin(given: Given<'begin'>): Promise<Checkpoint> {
    return this.attempt(given.projection, async () => {
      const runner = this.runner(given);
      await runner.begin();
      return runner.checkpoint;
    });
  }

  applyNext(given: Given<'applyNext'>, signal: AbortSignal): Promise<Applied> {
    return this.attempt(given.projection, async () => {
      const runner = this.runner(given);
      const events = await runner.applyNext(signal);
      return { events, checkpoint: runner.checkpoint };
    });
  }

  applyBatch({ until, ...given }: Given<'applyBatch'>, signal: AbortSignal): Promise<Applied> {
    return this.attempt(given.projection, async () => {
      const runner = this.runner(given);
      if (!('applyBatch' in runner)) throw new Error(`${given.projection} is not a set projection`);
      const events = await runner.applyBatch(until ?? undefined, signal);
      return { events, checkpoint: runner.checkpoint };
    });
  }

  retryParked(given: Given<'retryParked'>): Promise<Checkpoint> {
    return this.attempt(given.projection, async () => {
      const runner = this.runner(given);
      await runner.retryParked();
      return runner.checkpoint;
    });
  }

  fillView({ projection, ...request }: Given<'fillView'>, signal: AbortSignal): Promise<null> {
    return this.attempt(projection, async () => {
      const { view } = this.of(projection);
      if (view === null) throw new Error(`${projection} is not a view`);
      await view.fill(request, signal);
      return null;
    });
  }

  /** What the failure of a call parks in a view. */
  parkedBy(error: object): ParkedEvent | null {
    return this.parking.get(error) ?? null;
  }

  private async attempt<Result>(projection: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const parked = this.connected.get(projection)?.view?.parkedBy(error);
      if (parked !== undefined && error instanceof Error) this.parking.set(error, parked);
      throw error;
    }
  }

  private of(projection: string): Connected {
    const connected = this.connected.get(projection);
    if (connected === undefined) throw new Error(`${projection} is not connected`);
    return connected;
  }

  private setOf(projection: string): SetWork {
    const { set } = this.of(projection);
    if (set === null) throw new Error(`${projection} is not a set projection`);
    return set;
  }

  private runner({ projection, schema }: Given<'begin'>): ProjectionRunner | SetApplier {
    const runner = this.of(projection).runners.get(schema);
    if (runner === undefined) throw new Error(`${projection} has no runner for ${schema}`);
    return runner;
  }
}

/** With the account of the service the whole table can be read. */
export const logOf = (pool: pg.Pool, { login }: TeamAccess): LogReader & Pick<PostgresLog, 'at'> =>
  login === null ? new PostgresLog(pool, new LocalWake()) : new TeamLog(pool);
