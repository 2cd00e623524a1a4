import type { LaneFigures } from '../../kernel/concurrency-limit.ts';
import { type AccountKey, FairQueue } from '../../kernel/fair-queue.ts';
import { AdaptiveRate } from './adaptive-rate.ts';
import { type Turn, turnId, type TurnKind } from './turn.ts';

/** Backpressure as the checker sees it: while it is closed, a decision would be refused. */
export interface DecisionGate {
  isOpen(): boolean;
  /** Seconds that the read models are behind. */
  lag(): number;
}

export interface AdmissionOptions {
  readonly gate: DecisionGate;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicNow: () => number;
  /** The share of the time since the last call that the event loop had work, from 0 to 1. */
  readonly utilization: () => number;
  readonly accountOf: (projectId: string) => AccountKey;
  /** How many checks the turn runs; 1 for one that runs none. */
  readonly checksOf: (turn: Turn) => number;
}

/**
 * Probes are measurements, which are stored whatever the read models do; checks and looks end in a decision. Looks are the inspections of a site besides its
 * probes, and the runs that make up for others, which may be minutes late.
 */
type LaneName = 'probes' | 'checks' | 'looks';

const LANES: Readonly<Record<TurnKind, LaneName>> = {
  uptime: 'probes',
  'uptime-again': 'probes',
  area: 'checks',
  confirm: 'checks',
  again: 'looks',
  certificate: 'looks',
  redirect: 'looks',
  homepage: 'looks',
};

export const isLook = (kind: TurnKind): boolean => LANES[kind] === 'looks';

export interface AdmissionFigures {
  readonly queues: Readonly<Record<'due probes' | 'due checks', LaneFigures>>;
  /** Work is held back, because this process or the read models cannot keep up. */
  readonly isOverloaded: boolean;
}

/** Turns that start in one round; the event loop has its turn before the next. */
const BURST = 50;
/**
 * Timers are so late when the event loop has no time left; an answer takes about ten of its turns. A CPU quota pauses a process for up to 100 ms,
 * but a process that is not busy is late by that only now and then.
 */
const STRAINED_DELAY_MS = 75;
/** Their median counts: a pause, such as a garbage collection, delays one or two timers. */
const RECENT_DELAYS = 5;
/** Below the lag at which the gate closes, so that what has been started can still be decided. */
const STRAINED_LAG_SECONDS = 1;
/** Late timers of an event loop with idle time have another cause, such as other processes, which shedding load does not remove. */
const BUSY = 0.8;
/** Below this utilization the event loop can do twice as much. */
const SLACK = 0.5;
const WINDOW_MS = 250;
/** A check is judged and decided besides being fetched, which takes three times the processor of a probe (`npm run bench probe`). */
const PROBES_PER_CHECK = 3;
/** While other turns wait, one look starts after this many of them: an import brings three looks for each site, and each ends in an event. */
const TURNS_PER_LOOK = 200;
/** A turn that waits longer is late: the limit of probes is their shortest period, that of checks is well below theirs. */
const LATE_MS = { probes: 15_000, checks: 60_000 };

interface Waiting {
  readonly turn: Turn;
  readonly id: string;
  readonly since: number;
}

interface Lane {
  readonly queue: FairQueue<Waiting>;
  readonly ids: Set<string>;
  skipped: number;
}

/**
 * Load shedding: due turns wait here, by account, until the process can take them. Accepted requests, the projection runner and the health route share the
 * event loop, so new work starts only as fast as timers stay punctual and read models keep up. A turn that still waits at its next occurrence is made once.
 */
export class Admission {
  private readonly lanes: Readonly<Record<LaneName, Lane>>;
  /** The rate of all turns, because they share the event loop. */
  private readonly rate: AdaptiveRate;
  /** The rate of decisions, which follows how fast the read models keep up. */
  private readonly decisionRate: AdaptiveRate;
  /** Probes that cost as much as the checks that were taken while probes waited: these go first. */
  private probesOwed = 0;
  private turnsUntilLook = 0;
  private readonly delays: number[] = [];
  private measuredAt: number;
  private isLoopStrained = false;
  private hasLoopSlack = false;

  constructor(private readonly options: AdmissionOptions) {
    const now = options.monotonicNow();
    const lane = (): Lane => ({ queue: new FairQueue(), ids: new Set(), skipped: 0 });
    this.lanes = { probes: lane(), checks: lane(), looks: lane() };
    this.rate = new AdaptiveRate(now);
    this.decisionRate = new AdaptiveRate(now);
    this.measuredAt = now;
  }

  get isWaiting(): boolean {
    const { probes, checks, looks } = this.lanes;
    return probes.queue.length + checks.queue.length + looks.queue.length > 0;
  }

  add(turn: Turn): void {
    const lane = this.laneOf(turn.kind);
    const id = turnId(turn);
    if (lane.ids.has(id)) {
      lane.skipped++;
      return;
    }
    lane.ids.add(id);
    lane.queue.push(this.options.accountOf(turn.projectId), { turn, id, since: this.options.monotonicNow() });
  }

  /** The turn was due again before it had ended. */
  skipped(kind: TurnKind): void {
    this.laneOf(kind).skipped++;
  }

  /** A turn that was taken has ended, however it did. */
  ended(kind: TurnKind): void {
    this.rate.ended();
    if (LANES[kind] !== 'probes') this.decisionRate.ended();
  }

  /** How much later than planned a timer of the checker fired. */
  observeDelay(milliseconds: number): void {
    const now = this.options.monotonicNow();
    this.delays.push(milliseconds);
    if (this.delays.length > RECENT_DELAYS) this.delays.shift();
    if (now - this.measuredAt < WINDOW_MS) return;
    this.measuredAt = now;
    const utilization = this.options.utilization();
    this.isLoopStrained = utilization > BUSY && median(this.delays) > STRAINED_DELAY_MS;
    this.hasLoopSlack = utilization < SLACK;
  }

  /**
   * The turns that may start now. While probes and checks wait, each gets half of the processor, so that the checks of a restart or an import delay no probe
   * for long.
   */
  take(): readonly Turn[] {
    const now = this.options.monotonicNow();
    const { gate } = this.options;
    const { checks, looks } = this.lanes;
    const isOpen = gate.isOpen();
    this.rate.adjust(now, { isStrained: this.isLoopStrained, hasSlack: this.hasLoopSlack, isWaiting: this.isWaiting });
    this.decisionRate.adjust(now, {
      isStrained: !isOpen || gate.lag() > STRAINED_LAG_SECONDS,
      // How much more the read models could take is not known.
      hasSlack: false,
      isWaiting: checks.queue.length + looks.queue.length > 0,
    });
    const admitted: Turn[] = [];
    while (admitted.length < BURST && this.rate.mayStart(now)) {
      const name = this.nextLane(isOpen && this.decisionRate.mayStart(now));
      const next = this.lanes[name].queue.take(() => true);
      if (next === undefined) break;
      this.lanes[name].ids.delete(next.id);
      if (name === 'checks') this.probesOwed = PROBES_PER_CHECK * this.options.checksOf(next.turn);
      else if (name === 'probes') this.probesOwed = Math.max(0, this.probesOwed - 1);
      this.turnsUntilLook = name === 'looks' ? TURNS_PER_LOOK : this.turnsUntilLook - 1;
      this.rate.started();
      if (name !== 'probes') this.decisionRate.started();
      admitted.push(next.turn);
    }
    return admitted;
  }

  private nextLane(mayDecide: boolean): LaneName {
    const { probes, checks, looks } = this.lanes;
    if (probes.queue.length === 0) this.probesOwed = 0;
    if (!mayDecide) return 'probes';
    const isLookDue = this.turnsUntilLook <= 0 || probes.queue.length + checks.queue.length === 0;
    if (looks.queue.length > 0 && isLookDue) return 'looks';
    return checks.queue.length > 0 && this.probesOwed === 0 ? 'checks' : 'probes';
  }

  get figures(): AdmissionFigures {
    const { gate } = this.options;
    const isOverloaded = this.isWaiting && (this.rate.isLimited || this.decisionRate.isLimited || !gate.isOpen());
    const { looks } = this.lanes;
    const checks = this.figuresOf('checks');
    // Turns of the lane `looks` wait by intention, which says nothing about how late checks are.
    const dueChecks = { ...checks, queued: checks.queued + looks.queue.length, refused: checks.refused + looks.skipped };
    return { queues: { 'due probes': this.figuresOf('probes'), 'due checks': dueChecks }, isOverloaded };
  }

  private laneOf(kind: TurnKind): Lane {
    return this.lanes[LANES[kind]];
  }

  private figuresOf(name: keyof typeof LATE_MS): LaneFigures {
    const { queue, skipped } = this.lanes[name];
    const now = this.options.monotonicNow();
    let [queuedMs, lateAccounts] = [0, 0];
    for (const { since } of queue.heads()) {
      queuedMs = Math.max(queuedMs, now - since);
      if (now - since > LATE_MS[name]) lateAccounts++;
    }
    return { queued: queue.length, queuedMs, lateAccounts, refused: skipped };
  }
}

const median = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0;
