import type pg from 'pg';
import type { FillRateLimit } from '../engine/fill-rate-limit.ts';
import { Counters } from './counters.ts';
import type { ProjectionTx } from './define-projection.ts';

/** Less than half of the server's idle timeout of a transaction, so that the hanging handler is named before the connection is lost. */
const HANG_MS = 3_000;

/** Statements that would end the transaction of the batch and its checkpoint. */
const TRANSACTION = /^\s*(begin|start|commit|end|rollback|abort|savepoint|release|prepare)\b/i;

interface RunningHandler {
  readonly reject: (error: Error) => void;
}

/** The `tx` of a handler: the transaction of its batch, with the schema of its projection as search path. */
export class HandlerTransaction implements ProjectionTx {
  private readonly counters = new Counters();
  private readonly pending = new Set<Promise<unknown>>();
  private isOver = false;
  private handler: RunningHandler | null = null;
  private hangTimer: NodeJS.Timeout | undefined;
  private sent = 0;
  private active = 0;

  constructor(private readonly client: pg.PoolClient) {}

  /** Counters that were added before are written first. A statement that the handler does not await is awaited by `flush`. */
  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const running = this.send<Row>(text, values);
    this.pending.add(running);
    // Without a listener, a failed statement that the handler does not await would end the process.
    running.catch(() => undefined);
    return running;
  }

  add(...[table, key, amounts]: Parameters<ProjectionTx['add']>): void {
    if (this.isOver) throw new TransactionOver();
    this.counters.add(table, key, amounts);
  }

  /** Awaits a handler, if it awaits anything; rejects when it hangs, that is: waits for something else than this transaction. */
  run(work: Promise<unknown> | undefined): Promise<void> | undefined {
    if (work === undefined) return undefined;
    return new Promise((resolve, reject) => {
      const handler = { reject };
      this.handler = handler;
      this.hangTimer ??= this.checkForHang(handler);
      const finish = (): void => {
        if (this.handler === handler) this.handler = null;
      };
      work.then(
        () => {
          finish();
          resolve();
        },
        (error: unknown) => {
          finish();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  async flush(rateLimit?: FillRateLimit): Promise<void> {
    for (const running of this.pending) {
      this.pending.delete(running);
      await running;
    }
    await this.counters.flush(this.client, rateLimit);
  }

  /** Counter rows that are not written yet. */
  get counterRows(): number {
    return this.counters.size;
  }

  /** Forgets what was not flushed. */
  discard(): void {
    this.counters.discard();
    this.pending.clear();
  }

  /** Later statements of a handler that was not awaited would run in another transaction; they are refused. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.hangTimer);
  }

  private checkForHang(before: RunningHandler): NodeJS.Timeout {
    const { sent } = this;
    return setTimeout(() => {
      const current = this.handler;
      if (current === before && this.sent === sent && this.active === 0) current.reject(new HandlerHangs());
      this.hangTimer = current === null ? undefined : this.checkForHang(current);
    }, HANG_MS);
  }

  private async send<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    await this.counters.flush(this.client);
    if (this.isOver) throw new TransactionOver();
    if (TRANSACTION.test(text)) throw new TransactionControlRefused(text);
    this.sent++;
    this.active++;
    try {
      const { rows } = await this.client.query<Row>(text, [...values]);
      return rows;
    } finally {
      this.active--;
    }
  }
}

class HandlerHangs extends Error {
  constructor() {
    super(`its handler does not end, and sent no statement for ${String(HANG_MS / 1_000)} seconds: it waits for something other than "tx"`);
  }
}

class TransactionControlRefused extends Error {
  constructor(text: string) {
    super(`a handler runs inside the transaction of its batch, and cannot end it: ${text.trim().slice(0, 40)}`);
  }
}

class TransactionOver extends Error {
  constructor() {
    super('the transaction of this event is over: a handler has to await or return what it starts');
  }
}
