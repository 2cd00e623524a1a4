import type pg from 'pg';

/** How a row ended: with the last answer of the receiver, or why it was given up. */
export interface DeliveryEnd {
  readonly state: 'delivered' | 'failed';
  readonly attempts: number;
  readonly answer: string;
  readonly at: number;
}

/** Notes the outcomes of a relay in a table with the columns `state`, `attempts`, `last_answer`, `next_try`, `give_up_at` and `finished_at`. */
export class OutboxRows {
  constructor(
    private readonly pool: pg.Pool,
    private readonly table: 'notification_message' | 'status_delivery',
  ) {}

  async reschedule(id: string, attempts: number, reason: string, next: { readonly at: number; readonly giveUpAt: Date }): Promise<void> {
    await this.pool.query(
      `UPDATE ${this.table} SET attempts = $2, last_answer = $3, next_try = $4, give_up_at = $5 WHERE id = $1 AND state = 'due'`,
      [id, attempts, reason, new Date(next.at), next.giveUpAt],
    );
  }

  async finish(id: string, { state, attempts, answer, at }: DeliveryEnd): Promise<void> {
    await this.pool.query(
      `UPDATE ${this.table} SET state = $2, attempts = $3, last_answer = $4, finished_at = $5 WHERE id = $1 AND state = 'due'`,
      [id, state, attempts, answer, new Date(at)],
    );
  }
}
