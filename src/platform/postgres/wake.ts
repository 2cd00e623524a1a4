/** How often a listener polls by itself, for a ring that a crash prevented. */
export const POLL_WITHOUT_RING_MS = 5_000;

/**
 * Wake-up signals between and within processes: something may have changed, not what. Listeners also poll; a bell only shortens the wait.
 */
export abstract class Wake {
  /** Reaches listeners of this process at once, other processes soon; concurrent rings may be merged into one. */
  abstract ring(topic: string): void;
  /** A listener, which remembers a ring from before its `wait`. */
  abstract bell(topic: string): Bell;
  abstract close(): Promise<void>;
}

export interface Bell {
  /** True when it rang since the last wait, false after the time or when aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<boolean>;
  /** The same until the next poll for a ring that a crash prevented, or `atMostMs`: all that poll do so at one instant. */
  poll(signal?: AbortSignal, atMostMs?: number): Promise<boolean>;
  close(): void;
}

/** One timer for all polls of a process: while it is idle it wakes once for them, and readers at one position share a statement. */
class PollTimer {
  private readonly waiting = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  add(done: () => void): void {
    this.waiting.add(done);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const due = [...this.waiting];
      this.waiting.clear();
      for (const end of due) end();
    }, POLL_WITHOUT_RING_MS);
  }

  delete(done: () => void): void {
    this.waiting.delete(done);
    if (this.waiting.size > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** Wake-up signals within one process or a simulation. */
export class LocalWake implements Wake {
  private readonly polls = new PollTimer();
  private readonly bells = new Map<string, Set<LocalBell>>();

  ring(topic: string): void {
    for (const bell of this.bells.get(topic) ?? []) bell.ring();
  }

  ringAll(): void {
    for (const topic of this.bells.keys()) this.ring(topic);
  }

  bell(topic: string): Bell {
    const hung = this.bells.get(topic) ?? new Set<LocalBell>();
    this.bells.set(topic, hung);
    const bell = new LocalBell(() => {
      hung.delete(bell);
      if (hung.size === 0 && this.bells.get(topic) === hung) this.bells.delete(topic);
    }, this.polls);
    hung.add(bell);
    return bell;
  }

  async close(): Promise<void> {
    this.ringAll();
    await Promise.resolve();
  }
}

class LocalBell implements Bell {
  readonly close: () => void;
  private rang = false;
  private readonly waiting = new Set<(rang: boolean) => void>();

  constructor(
    onClose: () => void,
    private readonly polls: PollTimer,
  ) {
    this.close = () => {
      onClose();
      this.answer(false);
    };
  }

  ring(): void {
    if (this.waiting.size === 0) this.rang = true;
    else this.answer(true);
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    return this.until((over) => {
      const timer = setTimeout(over, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    }, signal);
  }

  poll(signal?: AbortSignal, atMostMs = Infinity): Promise<boolean> {
    if (atMostMs < POLL_WITHOUT_RING_MS) return this.wait(atMostMs, signal);
    return this.until((over) => {
      this.polls.add(over);
      return () => {
        this.polls.delete(over);
      };
    }, signal);
  }

  /** `begin` starts what ends the wait without a ring, and answers how to cancel it. */
  private until(begin: (over: () => void) => () => void, signal?: AbortSignal): Promise<boolean> {
    if (this.rang || signal?.aborted === true) {
      const rang = this.rang;
      this.rang = false;
      return Promise.resolve(rang);
    }
    return new Promise((resolve) => {
      const done = (rang: boolean) => {
        cancel();
        signal?.removeEventListener('abort', abort);
        this.waiting.delete(done);
        resolve(rang);
      };
      const abort = () => {
        done(false);
      };
      const cancel = begin(abort);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.add(done);
    });
  }

  private answer(rang: boolean): void {
    for (const done of [...this.waiting]) done(rang);
  }
}
