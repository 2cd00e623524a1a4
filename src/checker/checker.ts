import type { Clock } from '../kernel/clock.ts';
import type { LogEvent } from '../kernel/event.ts';
import type { Log } from '../platform/log/log.ts';
import type { ObservationFences } from '../platform/observations/fences.ts';
import { numberOfShard } from '../platform/observations/shards.ts';
import type { Lease, Leases } from '../platform/postgres/leases.ts';
import type { Views } from '../platform/read-models/views/views.ts';
import { Admission, type AdmissionFigures, type DecisionGate } from './schedule/admission.ts';
import { type CheckerTime, realTime } from './checker-time.ts';
import { ProjectsFollower } from './projects/projects-follower.ts';
import { enabledChecks, type WatchedProjects } from './projects/watched-projects.ts';
import { Scheduler } from './schedule/scheduler.ts';
import { type RecurringTurnsOf, type Turn, type TurnKey, type TurnKind } from './schedule/turn.ts';
import { type PeersAt, ShardKeeper } from './shards/shard-keeper.ts';

const MIN_STEP_MS = 5_000;

/** Compares the wall clock with a monotonic one: a difference is a clock step, or a suspended process. */
class ClockStepDetector {
  private offset: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly monotonicNow: () => number = () => performance.now(),
  ) {}

  /** Milliseconds that the wall clock stepped since the last call; 0 for none. */
  measure(): number {
    const offset = this.clock.now() - this.monotonicNow();
    const step = this.offset === null ? 0 : offset - this.offset;
    this.offset = offset;
    return Math.abs(step) >= MIN_STEP_MS ? step : 0;
  }
}

/** Does the work of a turn; while it is unsettled, further turns of the same key are skipped. */
export type TurnHandler = (turn: Turn, lease: Lease) => Promise<void>;

/** The checker as its parts see it. */
export interface CheckerContext {
  readonly projects: Pick<WatchedProjects, 'get'>;
  /** The lease under which this instance may check the project; undefined if another instance holds it. */
  leaseOf(projectId: string): Lease | undefined;
  /** False while a decision would be refused, because the read models are too far behind. */
  canDecide(): boolean;
  /** Schedules an extra turn: at `due`, and not before a turn of its key that is under way has ended. */
  scheduleOnce(turn: TurnKey, due: number): void;
}

/** A set of turn kinds with their handlers: the checks, and the watches of a site. */
export interface CheckerPart {
  readonly recurringTurns: readonly RecurringTurnsOf[];
  readonly handlers: Readonly<Partial<Record<TurnKind, TurnHandler>>>;
  /** Resumes what was under way in a shard that this instance has just taken. */
  onShardTaken(projectIds: readonly string[]): void;
  onEvent(event: LogEvent): void;
  /** Stores what was observed, while the lease under which it was observed is still held. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface CheckerOptions {
  readonly views: Views;
  readonly log: Log;
  readonly leases: Leases;
  readonly fences: Pick<ObservationFences, 'raise'>;
  readonly clock: Clock;
  readonly gate: DecisionGate;
  readonly locations: readonly string[];
  readonly countPeers: () => Promise<PeersAt | null>;
  /** From then on the other checkers divide all shards among themselves. */
  readonly leavePeers: () => Promise<void>;
  /** True while observations cannot be stored: turns stay due. */
  readonly isSuspended?: () => boolean;
  readonly onTurn: (turn: Turn, lateMs: number) => void;
  readonly report: (error: unknown, activity: string) => void;
  readonly time?: CheckerTime;
}

/** If the loop is later than this, the process was suspended or blocked. */
const SUSPENDED_MS = 5_000;
const RENEW_LEASES_MS = 600;
/** A planned handover waits so long for work under way, which is aborted then and repeated by the new owner. */
const HANDOVER_MS = 3_000;
const LOAD_AGAIN_MS = 2_000;
/** While due turns wait. */
const ADMISSION_MS = 20;

/** Runs the turns of the projects in its shards when they are due. */
export class Checker implements CheckerContext {
  readonly follower: ProjectsFollower;
  readonly projects: WatchedProjects;
  private readonly parts: CheckerPart[] = [];
  private readonly recurringTurns: RecurringTurnsOf[] = [];
  private readonly handlers = new Map<string, TurnHandler>();
  private readonly scheduler: Scheduler;
  private readonly shards: ShardKeeper;
  private readonly admission: Admission;
  private readonly clockSteps: ClockStepDetector;
  private readonly running = new Set<{ readonly lease: Lease; readonly work: Promise<void> }>();
  private readonly time: CheckerTime;
  private cancelTimer: () => void = () => undefined;
  private isClosed = false;
  private lastRoundAt: number;

  constructor(private readonly options: CheckerOptions) {
    const { views, log, leases, fences, clock, locations, countPeers, leavePeers, report, time = realTime } = options;
    this.time = time;
    this.lastRoundAt = time.monotonicNow();
    this.follower = new ProjectsFollower({
      views,
      log,
      report,
      locations,
      sleep: time.sleep,
      onOccupancy: () => {
        this.shards.balanceNow();
      },
      onChanged: (projectId) => {
        this.scheduler.projectChanged(projectId, clock.now());
        this.setTimer();
      },
      onEvent: (event) => {
        for (const part of this.parts) part.onEvent(event);
      },
    });
    this.projects = this.follower.projects;
    this.scheduler = new Scheduler(this.projects, this.recurringTurns);
    this.admission = new Admission({
      gate: options.gate,
      monotonicNow: time.monotonicNow,
      utilization: time.utilization,
      accountOf: (projectId) => this.projects.get(projectId)?.project.payerId,
      checksOf: (turn) => this.checksOf(turn),
    });
    this.clockSteps = new ClockStepDetector(clock, time.monotonicNow);
    this.shards = new ShardKeeper({
      leases,
      countPeers,
      leavePeers,
      locations,
      settle: (lease) => this.settle(lease),
      raiseFence: async (lease) => {
        try {
          await fences.raise(lease);
        } catch (error) {
          report(error, 'taking a shard: the observations do not answer');
          throw error;
        }
      },
      occupied: (location) => this.follower.occupied.of(location),
      pause: (signal, isSettled) => time.sleep(isSettled ? time.settledMs : time.shardsMs, signal),
      onTaken: (lease) => {
        void this.take(lease);
      },
      onLost: (shard) => {
        this.scheduler.shardLost(shard, clock.now());
        void this.forget(shard);
      },
    });
  }

  /** To be called before `start`. */
  use(part: CheckerPart): this {
    this.parts.push(part);
    this.recurringTurns.push(...part.recurringTurns);
    for (const [kind, handler] of Object.entries(part.handlers)) this.handlers.set(kind, handler);
    return this;
  }

  async start(): Promise<void> {
    await this.follower.start();
    this.shards.start();
    this.setTimer();
  }

  /** Starts no further turns, hands over the shards, and waits for the turns under way. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelTimer();
    await this.shards.close();
    await this.follower.close();
    await Promise.all([...this.running].map(({ work }) => work));
    for (const part of this.parts) await part.close();
  }

  leaseOf(projectId: string): Lease | undefined {
    return this.shards.leaseOf(this.projects.shardOf(projectId) ?? '');
  }

  canDecide(): boolean {
    return this.options.gate.isOpen();
  }

  scheduleOnce(turn: TurnKey, due: number): void {
    this.scheduler.scheduleOnce(turn, due);
    this.setTimer();
  }

  get admissionFigures(): AdmissionFigures {
    return this.admission.figures;
  }

  get figures(): { readonly shards: number; readonly planned: number; readonly running: number; readonly checks: number } {
    const { watchedChecks: checks, plannedTurns: planned } = this.scheduler;
    return { shards: this.shards.count, planned, running: this.running.size, checks };
  }

  /** The numbers of the shards that this checker holds, whatever their location. */
  get ownedShards(): readonly number[] {
    return [...new Set(this.shards.names.map(numberOfShard))];
  }

  private async take(lease: Lease): Promise<void> {
    const { name, signal } = lease;
    const { clock, report } = this.options;
    while (!signal.aborted) {
      try {
        const projectIds = await this.follower.load(name, signal);
        if (this.shards.leaseOf(name) !== lease) {
          await this.forget(name);
          return;
        }
        this.scheduler.shardTaken(name, projectIds, clock.now());
        for (const part of this.parts) part.onShardTaken(projectIds);
        this.setTimer();
        return;
      } catch (error) {
        if (signal.aborted) return;
        report(error, 'loading the projects of a shard');
        await this.time.sleep(LOAD_AGAIN_MS, signal);
      }
    }
  }

  /** Once the turns under way in it have ended, because they ask for their project. */
  private async forget(shard: string): Promise<void> {
    await Promise.all([...this.running].filter(({ lease }) => lease.name === shard).map(({ work }) => work));
    if (this.shards.leaseOf(shard) === undefined) this.follower.drop(shard);
  }

  /** Before a planned handover: ends what is under way and stores it, so that the new owner sees it, and probes nothing twice. */
  private async settle(lease: Lease): Promise<void> {
    const over = new AbortController();
    const own = [...this.running].filter((turn) => turn.lease === lease);
    const settled = Promise.all(own.map(({ work }) => work))
      .then(() => Promise.all(this.parts.map((part) => part.flush())))
      .catch((error: unknown) => {
        this.options.report(error, 'handing over a shard');
      });
    await Promise.race([settled, this.time.sleep(HANDOVER_MS, over.signal)]);
    over.abort();
  }

  private setTimer(minWaitMs = 0): void {
    this.cancelTimer();
    if (this.isClosed) return;
    const { maxWaitMs } = this.time;
    const next = this.scheduler.nextDue();
    const untilDue = next === null ? maxWaitMs : Math.max(next - this.options.clock.now(), 0);
    const waitMs = Math.min(Math.max(Math.min(untilDue, this.admission.isWaiting ? ADMISSION_MS : maxWaitMs), minWaitMs), maxWaitMs);
    const firesAt = this.time.monotonicNow() + waitMs;
    this.cancelTimer = this.time.after(waitMs, () => {
      this.admission.observeDelay(this.time.monotonicNow() - firesAt);
      this.setTimer(this.startDueTurns() ? 0 : RENEW_LEASES_MS);
    });
  }

  /**
   * Returns false, and starts nothing, after a suspension of the process: the leases may belong to another instance by now, and have to be renewed first. Or
   * while nothing can be stored.
   */
  private startDueTurns(): boolean {
    if (this.wasSuspended() || this.options.isSuspended?.() === true) return false;
    const now = this.options.clock.now();
    const stepMs = this.clockSteps.measure();
    if (stepMs !== 0) this.scheduler.clockStepped(now, stepMs);
    for (const turn of this.scheduler.takeDue(now)) this.admission.add(turn);
    for (const turn of this.admission.take()) this.startTurn(turn, now - turn.due);
    return true;
  }

  private checksOf({ kind, projectId, subjectId }: Turn): number {
    const watched = kind === 'area' ? this.projects.get(projectId) : undefined;
    return watched === undefined ? 1 : enabledChecks(watched, subjectId).length;
  }

  private wasSuspended(): boolean {
    const before = this.lastRoundAt;
    this.lastRoundAt = this.time.monotonicNow();
    return this.lastRoundAt - before > this.time.maxWaitMs + SUSPENDED_MS;
  }

  private startTurn(turn: Turn, lateMs: number): void {
    const lease = this.leaseOf(turn.projectId);
    const handler = this.handlers.get(turn.kind);
    // The next owner of the shard makes up for the turn.
    if (lease === undefined || handler === undefined) return;
    if (!this.scheduler.begin(turn)) {
      this.admission.skipped(turn.kind);
      return;
    }
    this.options.onTurn(turn, lateMs);
    const work = handler(turn, lease)
      .catch((error: unknown) => {
        this.options.report(error, turn.kind);
      })
      .finally(() => {
        this.running.delete(running);
        this.scheduler.end(turn);
        this.admission.ended(turn.kind);
      });
    const running = { lease, work };
    this.running.add(running);
  }
}
