import { ProjectionStopped, BEGINNING, type Checkpoint } from '../../platform/read-models/engine/checkpoint.ts';
import type { ParkedEvent } from '../../platform/read-models/engine/parked-events.ts';
import type { FillPace, SetApplier, SetWork } from '../../platform/read-models/sets/set-work.ts';
import type { ViewWork } from '../../platform/read-models/views/view-work.ts';
import type { StoppedDetail, WorkerCalls } from '../calls.ts';
import { CallFailed } from '../call-channel.ts';
import type { RunningChild } from './running-child.ts';

/** A `ProjectionStopped` in the process of a package. */
class StoppedInChild extends ProjectionStopped {
  override readonly name = 'ProjectionStopped';

  constructor(
    message: string,
    readonly parked: ParkedEvent | null,
  ) {
    super(message);
  }
}

type Asking = <Name extends keyof WorkerCalls>(
  name: Name,
  given: WorkerCalls[Name]['given'],
  signal?: AbortSignal,
) => Promise<WorkerCalls[Name]['result']>;

/** Calls that fail as the code in the process failed: what stops a projection there stops it here. */
const asking =
  (child: RunningChild): Asking =>
  async (name, given, signal) => {
    try {
      return await child.call(name, given, signal);
    } catch (error) {
      const stopped = error instanceof CallFailed ? stoppedOf(error.problem.detail) : null;
      throw stopped === null || !(error instanceof Error) ? error : new StoppedInChild(error.message, stopped.parked);
    }
  };

const stoppedOf = (detail: unknown): StoppedDetail | null =>
  typeof detail === 'object' && detail !== null && 'stopped' in detail ? (detail as StoppedDetail) : null;

/** A runner in the process of a package. */
class RemoteRunner implements SetApplier {
  private at: Checkpoint = BEGINNING;
  private opened: Promise<null> | undefined;

  constructor(
    private readonly ask: Asking,
    private readonly runner: WorkerCalls['begin']['given'],
    private readonly pace: FillPace,
    private readonly oneByOneUntil = -1,
  ) {}

  get checkpoint(): Checkpoint {
    return this.at;
  }

  async begin(): Promise<void> {
    this.opened ??= this.ask('openRunner', { ...this.runner, pace: this.pace, oneByOneUntil: this.oneByOneUntil });
    await this.opened;
    this.at = await this.ask('begin', this.runner);
  }

  async applyNext(signal: AbortSignal): Promise<number> {
    const { events, checkpoint } = await this.ask('applyNext', this.runner, signal);
    this.at = checkpoint;
    return events;
  }

  async applyBatch(until?: number, signal?: AbortSignal): Promise<number> {
    const { events, checkpoint } = await this.ask('applyBatch', { ...this.runner, until: until ?? null }, signal);
    this.at = checkpoint;
    return events;
  }

  async retryParked(): Promise<void> {
    this.at = await this.ask('retryParked', this.runner);
  }
}

/** The code of a set projection, in the process of its package. */
export function remoteSetWork(child: RunningChild, projection: string): SetWork {
  const ask = asking(child);
  return {
    createTables: async (schema) => {
      await ask('createTables', { projection, schema });
    },
    openRunner: (schema, pace, oneByOneUntil) => new RemoteRunner(ask, { projection, schema }, pace, oneByOneUntil),
  };
}

/** The code of a view, in the process of its package. */
export function remoteViewWork(child: RunningChild, projection: string, schema: string): ViewWork {
  const ask = asking(child);
  return {
    openRunner: () => new RemoteRunner(ask, { projection, schema }, 'full'),
    fill: async (request, signal) => {
      await ask('fillView', { ...request, projection }, signal);
    },
    parkedBy: (error) => (error instanceof StoppedInChild ? (error.parked ?? undefined) : undefined),
  };
}
