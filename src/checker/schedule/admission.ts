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
}

/** Probes are measurements, which are stored whatever the read models do; runs and looks end in a decision. */
type LaneName = 'probes' | 'decisions';

export interface AdmissionFigures {
  readonly queues: Readonly<Record<'due probes' | 'due checks', LaneFigures>>;
  /** Work is held back, because this process or the read models cannot keep up. */
  readonly isOverloaded: boolean;
}

/** Turns that start in one round; the event loop has its turn before the next. */
const BURST = 50;
/**
 * Timers are so late on average when the event loop has no time left; an answer takes about ten of its turns. A CPU quota pauses a process for up to 100 ms,
 * but a process that is not busy is late by that only now and then.
 */
const STRAINED_DELAY_MS = 75;
/** Below the lag at which the gate closes, so that what has been started can still be decided. */
const STRAINED_LAG_SECONDS = 1;
/** Late timers of an event loop with idle time have another cause, such as other processes, which shedding load does not remove. */
const BUSY = 0.8;
const WINDOW_MS = 250;
/** As the limits: the shortest period of a probe, and of checks well below theirs. */
const LATE_MS: Readonly<Record<LaneName, number>> = { probes: 15_000, decisions: 60_000 };

interface Waiting {
  readonly turn: Turn;
  readonly id: string;
  readonly since: number;
}

interface Lane {
  readonly queue: FairQueue<Waiting>;
  readonly ids: Set<string>;
  readonly rate: AdaptiveRate;
  skipped: number;
}

/**
 * Load shedding: due turns wait here, by account, until the process can take them. Accepted requests, the projection runner and the health route share the
 * event loop, so new work starts only as fast as timers stay punctual and read models keep up. A turn that still waits at its next occurrence is made once.
 */
export class Admission {
  private readonly lanes: Readonly<Record<LaneName, Lane>>;
  private delays = { sum: 0, count: 0, since: 0 };
  private isLoopStrained = false;

  constructor(private readonly options: AdmissionOptions) {
    const now = options.monotonicNow();
    const lane = (): Lane => ({ queue: new FairQueue(), ids: new Set(), rate: new AdaptiveRate(now), skipped: 0 });
    this.lanes = { probes: lane(), decisions: lane() };
    this.delays.since = now;
  }

  get isWaiting(): boolean {
    return this.lanes.probes.queue.length + this.lanes.decisions.queue.length > 0;
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

  /** How much later than planned a timer of the checker fired. */
  observeDelay(milliseconds: number): void {
    const now = this.options.monotonicNow();
    this.delays.sum += Math.max(0, milliseconds);
    this.delays.count++;
    if (now - this.delays.since < WINDOW_MS) return;
    const isBusy = this.options.utilization() > BUSY;
    this.isLoopStrained = isBusy && this.delays.sum / this.delays.count > STRAINED_DELAY_MS;
    this.delays = { sum: 0, count: 0, since: now };
  }

  /** The turns that may start now. */
  take(): readonly Turn[] {
    const { gate } = this.options;
    const admitted: Turn[] = [];
    this.takeFrom(this.lanes.probes, this.isLoopStrained, admitted);
    const isOpen = gate.isOpen();
    const isStrained = this.isLoopStrained || !isOpen || gate.lag() > STRAINED_LAG_SECONDS;
    this.takeFrom(this.lanes.decisions, isStrained, isOpen ? admitted : null);
    return admitted;
  }

  get figures(): AdmissionFigures {
    const { probes, decisions } = this.lanes;
    const isOverloaded = this.isWaiting && (probes.rate.isLimited || decisions.rate.isLimited || !this.options.gate.isOpen());
    return { queues: { 'due probes': this.figuresOf('probes'), 'due checks': this.figuresOf('decisions') }, isOverloaded };
  }

  private laneOf(kind: TurnKind): Lane {
    return this.lanes[kind === 'uptime' || kind === 'uptime-again' ? 'probes' : 'decisions'];
  }

  /** Null: nothing may start. */
  private takeFrom({ queue, ids, rate }: Lane, isStrained: boolean, admitted: Turn[] | null): void {
    const now = this.options.monotonicNow();
    rate.adjust(now, isStrained, queue.length > 0);
    if (admitted === null) return;
    for (let left = BURST; left > 0 && queue.length > 0 && rate.tryTake(now); left--) {
      const next = queue.take(() => true);
      if (next === undefined) return;
      ids.delete(next.id);
      admitted.push(next.turn);
    }
  }

  private figuresOf(name: LaneName): LaneFigures {
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
