import { RefusedUnderLoad } from './errors.ts';
import { type AccountKey, FairQueue } from './fair-queue.ts';

/** Backpressure: the queue of a concurrency limit is full. */
export class QueueFull extends RefusedUnderLoad {
  readonly code = 'TOO_MANY_WAIT';

  constructor() {
    super('Too many requests are already waiting for this. Retry shortly.');
  }
}

export interface ConcurrencyLimitOptions {
  /** Callers beyond it are refused with `QueueFull`; unlimited by default. */
  readonly maxQueue?: number;
  /** What each account gets only a share of, so that there is room for the next one; accounts take turns in any case. */
  readonly shares?: 'queue' | 'permits and queue';
  /** A fixed bound on the permits of one account, in addition to its share. */
  readonly maxPerAccount?: number;
  /** A monotonic clock in milliseconds; a simulation brings its own. */
  readonly monotonicNow?: () => number;
}

/** For whom work is done, and whether a person started it, which yields to work that is due by schedule. */
export interface WorkSource {
  readonly account?: AccountKey;
  readonly isOnDemand?: boolean;
}

interface Waiter {
  readonly source: WorkSource;
  readonly since: number;
  readonly start: () => void;
}

/** The work that waits in one of the two lanes of a limit. */
export interface LaneFigures {
  readonly queued: number;
  /** How long the oldest waiter has waited, in milliseconds. */
  readonly queuedMs: number;
  /** Accounts whose oldest waiter has waited for longer than asked. */
  readonly lateAccounts: number;
  /** Callers refused since the start. */
  readonly refused: number;
}

/** While both wait, every fourth permit is for work on demand, and a quarter of all permits is for scheduled work alone. */
const SCHEDULED_PER_ON_DEMAND = 3;
const MAX_ON_DEMAND = 3 / 4;
const SERVICE: WorkSource = {};

/**
 * A counting semaphore with a bounded fair queue. Accounts take turns (round robin), each served in order of arrival; work on demand yields to scheduled
 * work. With `shares`, an account holds at most as many permits as it leaves free, and queues at most as much as it leaves room for (a dynamic
 * threshold): alone it may hold half of them, beside two others a quarter, and the next one finds free permits at once. On demand it is half of that.
 */
export class ConcurrencyLimit {
  private readonly scheduled = new FairQueue<Waiter>();
  private readonly onDemand = new FairQueue<Waiter>();
  private readonly held = new Map<number, number>();
  private heldOnDemand = 0;
  private scheduledSinceOnDemand = 0;
  private readonly maxQueue: number;
  private readonly shares: ConcurrencyLimitOptions['shares'];
  private readonly maxPerAccount: number;
  private readonly monotonicNow: () => number;
  private free: number;
  private readonly refused = { scheduled: 0, onDemand: 0 };

  constructor(
    private readonly max: number,
    { maxQueue = Infinity, shares, maxPerAccount = Infinity, monotonicNow = () => performance.now() }: ConcurrencyLimitOptions = {},
  ) {
    this.free = max;
    this.maxQueue = maxQueue;
    this.shares = shares;
    this.maxPerAccount = maxPerAccount;
    this.monotonicNow = monotonicNow;
  }

  get queued(): number {
    return this.scheduled.length + this.onDemand.length;
  }

  /** The share of all permits that the account with the most of them holds. */
  get largestShare(): number {
    return Math.max(0, ...this.held.values()) / this.max;
  }

  lane(isOnDemand: boolean, lateMs = Infinity): LaneFigures {
    const queue = isOnDemand ? this.onDemand : this.scheduled;
    const now = this.monotonicNow();
    let [queuedMs, lateAccounts] = [0, 0];
    for (const { since } of queue.heads()) {
      queuedMs = Math.max(queuedMs, now - since);
      if (now - since > lateMs) lateAccounts++;
    }
    return { queued: queue.length, queuedMs, lateAccounts, refused: isOnDemand ? this.refused.onDemand : this.refused.scheduled };
  }

  /** Starts `work` synchronously while a permit is free for its source. */
  async run<Result>(work: () => Promise<Result>, source: WorkSource = SERVICE): Promise<Result> {
    if (this.isAllowed(source)) this.take(source);
    else await this.queueUp(source);
    try {
      return await work();
    } finally {
      this.release(source);
    }
  }

  /** Resolves with the function that gives the permit back; calling it twice is harmless. */
  async acquire(source: WorkSource = SERVICE): Promise<() => void> {
    if (this.isAllowed(source)) this.take(source);
    else await this.queueUp(source);
    let isHeld = true;
    return () => {
      if (isHeld) this.release(source);
      isHeld = false;
    };
  }

  /** A waiter of the same source is not overtaken: while one waits, none of them is allowed. */
  private isAllowed({ account, isOnDemand = false }: WorkSource): boolean {
    if (this.free === 0) return false;
    if (this.shares !== 'permits and queue' || account === undefined) return true;
    const share = Math.min(this.free, this.maxPerAccount) / (isOnDemand ? 2 : 1);
    if ((this.held.get(account) ?? 0) >= share) return false;
    return !isOnDemand || !this.isOnDemandFull;
  }

  private get isOnDemandFull(): boolean {
    return this.shares === 'permits and queue' && this.heldOnDemand >= this.max * MAX_ON_DEMAND;
  }

  private take({ account, isOnDemand = false }: WorkSource): void {
    this.free--;
    if (account !== undefined) this.held.set(account, (this.held.get(account) ?? 0) + 1);
    if (isOnDemand) this.heldOnDemand++;
  }

  private queueUp(source: WorkSource): Promise<void> {
    const { account, isOnDemand = false } = source;
    if (!this.hasRoom(account, isOnDemand)) {
      this.refused[isOnDemand ? 'onDemand' : 'scheduled']++;
      throw new QueueFull();
    }
    const queue = isOnDemand ? this.onDemand : this.scheduled;
    return new Promise((start) => {
      queue.push(account, { source, since: this.monotonicNow(), start });
    });
  }

  private hasRoom(account: AccountKey, isOnDemand: boolean): boolean {
    const room = this.maxQueue - this.queued;
    if (this.shares === undefined || account === undefined) return room > 0;
    return this.scheduled.lengthOf(account) + this.onDemand.lengthOf(account) < room / (isOnDemand ? 2 : 1);
  }

  private release({ account, isOnDemand = false }: WorkSource): void {
    this.free++;
    if (isOnDemand) this.heldOnDemand--;
    if (account !== undefined) {
      const left = (this.held.get(account) ?? 1) - 1;
      if (left > 0) this.held.set(account, left);
      else this.held.delete(account);
    }
    // A released permit may be the one that lets several accounts below their share again.
    for (let next = this.next(); next !== undefined; next = this.next()) next.start();
  }

  /** Takes a permit for the next waiter. */
  private next(): Waiter | undefined {
    if (this.free === 0 || this.queued === 0) return undefined;
    const isOnDemandFirst = this.scheduledSinceOnDemand >= SCHEDULED_PER_ON_DEMAND;
    const waiter = this.nextOf(isOnDemandFirst) ?? this.nextOf(!isOnDemandFirst);
    if (waiter === undefined) return undefined;
    this.take(waiter.source);
    if (waiter.source.isOnDemand === true) this.scheduledSinceOnDemand = 0;
    else if (this.onDemand.length > 0) this.scheduledSinceOnDemand++;
    return waiter;
  }

  private nextOf(isOnDemand: boolean): Waiter | undefined {
    // No account is asked: there may be ten thousand of them.
    if (isOnDemand && this.isOnDemandFull) return undefined;
    const queue = isOnDemand ? this.onDemand : this.scheduled;
    return queue.take((account) => this.isAllowed({ account, isOnDemand }));
  }
}
