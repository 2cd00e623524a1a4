import type pg from 'pg';
import { Counters } from './counters.ts';
import type { ProjectionTx } from './define-projection.ts';

/** Less than half of what the server lets a transaction idle: whoever hangs is told apart from the others before it takes the connection away. */
const HANG_MS = 3_000;

/** What would end the transaction that the batch and its checkpoint share. */
const TRANSACTION = /^\s*(begin|start|commit|end|rollback|abort|savepoint|release|prepare)\b/i;

interface Attended {
  readonly giveUp: (error: Error) => void;
}

/** One transaction of a set projection, with its own schema as the only one in the path. */
export class HandlerTransaction implements ProjectionTx {
  private readonly counters = new Counters();
  private readonly pending = new Set<Promise<unknown>>();
  private isOver = false;
  private attended: Attended | null = null;
  private watch: NodeJS.Timeout | undefined;
  private sent = 0;
  private underWay = 0;

  constructor(private readonly client: pg.PoolClient) {}

  /** What was added before is written before, so that the statement sees it. A handler that does not wait for it is waited for all the same. */
  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const running = this.send<Row>(text, values);
    this.pending.add(running);
    // Nobody else may be there to hear of a failure: without this, one statement of one team would end the process.
    running.catch(() => undefined);
    return running;
  }

  add(...[table, key, amounts]: Parameters<ProjectionTx['add']>): void {
    if (this.isOver) throw new TransactionOver();
    this.counters.add(table, key, amounts);
  }

  /** Waits for a handler; not for ever, where it waits for something that is not this transaction. */
  attend(handler: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const attended = { giveUp: reject };
      this.attended = attended;
      this.watch ??= this.lookLater(attended);
      const over = (): void => {
        if (this.attended === attended) this.attended = null;
      };
      handler.then(
        () => {
          over();
          resolve();
        },
        (error: unknown) => {
          over();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** `rowsAtOnce`: in one statement. */
  async flush(rowsAtOnce?: number): Promise<void> {
    for (const running of this.pending) {
      this.pending.delete(running);
      await running;
    }
    await this.counters.flush(this.client, rowsAtOnce);
  }

  /** Of counters, not written yet. */
  get rowsInHand(): number {
    return this.counters.size;
  }

  forget(): void {
    this.counters.drop();
    this.pending.clear();
  }

  /** Whatever a handler left running would end in somebody else's transaction. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.watch);
  }

  private lookLater(before: Attended): NodeJS.Timeout {
    const { sent } = this;
    return setTimeout(() => {
      const now = this.attended;
      if (now === before && this.sent === sent && this.underWay === 0) now.giveUp(new HandlerHangs());
      this.watch = now === null ? undefined : this.lookLater(now);
    }, HANG_MS);
  }

  private async send<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    await this.counters.flush(this.client);
    if (this.isOver) throw new TransactionOver();
    if (TRANSACTION.test(text)) throw new NotItsTransaction(text);
    this.sent++;
    this.underWay++;
    try {
      const { rows } = await this.client.query<Row>(text, [...values]);
      return rows;
    } finally {
      this.underWay--;
    }
  }
}

class HandlerHangs extends Error {
  constructor() {
    super(`its handler does not end, and sent nothing for ${String(HANG_MS / 1_000)} seconds: it waits for something that is not "tx"`);
  }
}

class NotItsTransaction extends Error {
  constructor(text: string) {
    super(`a handler works inside the transaction of its batch, and cannot end it: ${text.trim().slice(0, 40)}`);
  }
}

class TransactionOver extends Error {
  constructor() {
    super('the transaction of this event is over: a handler has to await or return what it starts');
  }
}
