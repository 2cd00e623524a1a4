import type pg from 'pg';
import type { Actor } from '../kernel/event.ts';

/** Who asked for it, and by which command: whoever finishes it writes the same events. */
export interface Asked {
  readonly actor: Actor;
  readonly commandId: string;
  readonly occurredAt: string;
  readonly requestHash?: string;
}

export interface Unfinished {
  readonly userId: number;
  /** Null: nobody knows any more, as after a restore. */
  readonly asked: Asked | null;
}

/** The erasures that were begun: what a crash interrupted is finished by the next start. */
export class Erasures {
  constructor(private readonly pool: pg.Pool) {}

  async begin(userId: number, { actor, commandId, occurredAt, requestHash }: Asked): Promise<void> {
    const noted = { actor, commandId, occurredAt, ...(requestHash === undefined ? {} : { requestHash }) };
    await this.pool.query('INSERT INTO erasures (user_id, noted) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING', [
      userId,
      JSON.stringify(noted),
    ]);
  }

  async done(userId: number): Promise<void> {
    await this.pool.query('UPDATE erasures SET done_at = now() WHERE user_id = $1 AND done_at IS NULL', [userId]);
  }

  async unfinished(): Promise<readonly Unfinished[]> {
    const { rows } = await this.pool.query<{ user_id: number; noted: Asked | null }>(
      'SELECT user_id, noted FROM erasures WHERE done_at IS NULL ORDER BY begun_at',
    );
    return rows.map(({ user_id, noted }) => ({ userId: user_id, asked: noted }));
  }
}
