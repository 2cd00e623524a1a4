import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease, Leases } from '../persistence/leases.ts';
import type { Clock } from '../kernel/clock.ts';
import type { LogEvent } from '../kernel/event.ts';
import type { Log } from '../log/log.ts';
import type { Views } from '../projections/views/views.ts';
import { enabledChecks } from './plan/plan.ts';
import { PlanKeeper } from './plan/plan-keeper.ts';
import { ClockWatch } from './schedule/clock-watch.ts';
import { Conductor, type Turn, type TurnsOf } from './schedule/conductor.ts';
import { ShardKeeper } from './shards/shard-keeper.ts';
import { shardsOf } from './shards/shard-of.ts';

/** Carries out what one kind of turn asks for; resolves when it is over. Another turn of the same key is skipped meanwhile. */
export type Carry = (turn: Turn, lease: Lease) => Promise<void>;

export interface CheckerOptions {
  readonly views: Views;
  readonly log: Log;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly locations: readonly string[];
  /** How many checkers share the work, this one included; null: it takes no part. */
  readonly peers: () => Promise<number | null>;
  readonly turnsOf: readonly TurnsOf[];
  /** By kind of turn. */
  readonly carry: (checker: Checker) => Readonly<Record<string, Carry>>;
  /** A shard's projects are ours from now on: what was under way there goes on here. */
  readonly onTaken: (checker: Checker, projectIds: readonly string[], lease: Lease) => void;
  readonly onEvent: (checker: Checker, event: LogEvent) => void;
  readonly onLate: (turn: Turn, milliseconds: number) => void;
  readonly report: (error: unknown, what: string) => void;
  readonly time?: CheckerTime;
}

/** The time that a checker stands on; a simulation brings its own. */
export interface CheckerTime {
  /** A clock that never steps, in milliseconds. */
  readonly steady: () => number;
  /** Answers how to call it off. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
  /** Ends early, without an error, when aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** At the longest until the loop looks again: a suspended process or a stepped clock is noticed by then. */
  readonly lookMs: number;
  /** Between two looks for shards that are free. */
  readonly shardsMs: number;
}

/** A loop that comes so late was suspended, or something blocked it for long. */
const ASLEEP_MS = 5_000;
const LEASES_LOOKED_AT_MS = 600;

const realTime: CheckerTime = {
  steady: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref();
    return () => {
      clearTimeout(timer);
    };
  },
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  lookMs: 1_000,
  shardsMs: 1_000,
};

/** Looks at the sites of the projects in its shards when their turn comes. */
export class Checker {
  readonly plans: PlanKeeper;
  readonly conductor: Conductor;
  private readonly shards: ShardKeeper;
  private readonly clockWatch: ClockWatch;
  private readonly carry: Readonly<Record<string, Carry>>;
  private readonly running = new Map<string, Promise<void>>();
  private readonly time: CheckerTime;
  private callOff: () => void = () => undefined;
  private closed = false;
  private lookedAt: number;

  constructor(private readonly options: CheckerOptions) {
    const { views, log, leases, clock, locations, peers, turnsOf, time = realTime } = options;
    this.time = time;
    this.lookedAt = time.steady();
    this.plans = new PlanKeeper({
      views,
      log,
      onChanged: (projectId) => {
        this.conductor.changed(projectId, clock.now());
        this.wake();
      },
      onEvent: (event) => {
        options.onEvent(this, event);
      },
      report: options.report,
      sleep: time.sleep,
    });
    this.conductor = new Conductor(this.plans.plan, turnsOf);
    this.clockWatch = new ClockWatch(clock, time.steady);
    this.carry = options.carry(this);
    this.shards = new ShardKeeper({
      leases,
      peers,
      shards: () => locations.flatMap(shardsOf),
      pause: (signal) => time.sleep(time.shardsMs, signal),
      onTaken: (lease) => {
        this.taken(lease);
      },
      onLost: (shard) => {
        this.conductor.lost(shard, clock.now());
      },
    });
  }

  async start(): Promise<void> {
    await this.plans.start();
    this.shards.start();
    this.wake();
  }

  /** Begins nothing new, gives back the shards, and waits for what is under way. */
  async close(): Promise<void> {
    this.closed = true;
    this.callOff();
    await this.shards.close();
    await this.plans.close();
    await Promise.all(this.running.values());
  }

  /** The lease under which this project may be looked at here; undefined when it is somebody else's. */
  leaseOf(projectId: string): Lease | undefined {
    return this.shards.lease(this.conductor.shardOf(projectId));
  }

  /** An extra turn. */
  once(kind: string, projectId: string, id: string, due: number): void {
    this.conductor.once(kind, projectId, id, due);
    this.wake();
  }

  get standing(): { readonly shards: number; readonly planned: number; readonly running: number; readonly checks: number } {
    let checks = 0;
    for (const projectId of this.plans.plan.ids()) {
      const plan = this.plans.plan.get(projectId);
      if (plan !== undefined && this.conductor.isOurs(projectId)) checks += enabledChecks(plan).length;
    }
    return { shards: this.shards.count, planned: this.conductor.planned, running: this.running.size, checks };
  }

  private taken(lease: Lease): void {
    const projectIds = this.conductor.taken(lease.name, this.options.clock.now());
    this.options.onTaken(this, projectIds, lease);
    this.wake();
  }

  private wake(atLeast = 0): void {
    this.callOff();
    if (this.closed) return;
    const { lookMs } = this.time;
    const next = this.conductor.next();
    const wait = next === null ? lookMs : Math.min(Math.max(next - this.options.clock.now(), atLeast), lookMs);
    this.callOff = this.time.after(wait, () => {
      this.wake(this.look() ? 0 : LEASES_LOOKED_AT_MS);
    });
  }

  private look(): boolean {
    if (this.wasAsleep()) return false;
    const now = this.options.clock.now();
    const step = this.clockWatch.stepped();
    if (step !== 0) this.conductor.jumped(now, step);
    for (const turn of this.conductor.take(now)) {
      this.options.onLate(turn, now - turn.due);
      this.begin(turn);
    }
    return true;
  }

  /** Of a process that stood still the leases may be somebody else's by now: they are looked at first. */
  private wasAsleep(): boolean {
    const before = this.lookedAt;
    this.lookedAt = this.time.steady();
    return this.lookedAt - before > this.time.lookMs + ASLEEP_MS;
  }

  private begin(turn: Turn): void {
    const lease = this.leaseOf(turn.projectId);
    const carry = this.carry[turn.kind];
    if (lease === undefined || carry === undefined || this.running.has(turn.key)) return;
    const work = carry(turn, lease)
      .catch((error: unknown) => {
        this.options.report(error, turn.kind);
      })
      .finally(() => this.running.delete(turn.key));
    this.running.set(turn.key, work);
  }
}
