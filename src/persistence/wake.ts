/** How often a listener looks by itself, for a ring that a crash prevented. */
export const POLL_WITHOUT_RING_MS = 5_000;

/**
 * Wake-up signals between and within processes: something may have changed, not what. Listeners also poll; a bell only shortens the wait.
 */
export interface Wake {
  /** Reaches listeners of this process at once, other processes soon; concurrent rings may be merged into one. */
  ring(topic: string): void;
  /** A listener, which remembers a ring from before its `wait`. */
  bell(topic: string): Bell;
  close(): Promise<void>;
}

export interface Bell {
  /** True when it rang since the last wait, false after the time or when aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Wake-up signals within one process or a simulation. */
export class LocalWake implements Wake {
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
    });
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

  constructor(onClose: () => void) {
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
    if (this.rang || signal?.aborted === true) {
      const rang = this.rang;
      this.rang = false;
      return Promise.resolve(rang);
    }
    return new Promise((resolve) => {
      const done = (rang: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.waiting.delete(done);
        resolve(rang);
      };
      const abort = () => {
        done(false);
      };
      const timer = setTimeout(done, milliseconds, false);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.add(done);
    });
  }

  private answer(rang: boolean): void {
    for (const done of [...this.waiting]) done(rang);
  }
}

/** Injection token. */
export const WAKE = Symbol('Wake');
