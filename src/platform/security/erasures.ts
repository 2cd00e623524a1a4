import { Injectable } from '@nestjs/common';
import pg from 'pg';
import type { Actor } from '../../kernel/event.ts';

/** Actor and command of an erasure, stored so that a resumed erasure writes the same events. */
export interface ErasureRequest {
  readonly actor: Actor;
  readonly commandId: string;
  readonly occurredAt: string;
  readonly requestHash?: string;
}

export interface UnfinishedErasure {
  readonly userId: number;
  /** Null after a restore, which does not know the command. */
  readonly request: ErasureRequest | null;
}

/** The erasures in progress: one that a crash interrupted is resumed by the next start. */
@Injectable()
export class Erasures {
  constructor(private readonly pool: pg.Pool) {}

  async begin(userId: number, { actor, commandId, occurredAt, requestHash }: ErasureRequest): Promise<void> {
    const noted = { actor, commandId, occurredAt, ...(requestHash === undefined ? {} : { requestHash }) };
    await this.pool.query('INSERT INTO erasures (user_id, noted) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING', [
      userId,
      JSON.stringify(noted),
    ]);
  }

  async done(userId: number): Promise<void> {
    await this.pool.query('UPDATE erasures SET done_at = now() WHERE user_id = $1 AND done_at IS NULL', [userId]);
  }

  async unfinished(): Promise<readonly UnfinishedErasure[]> {
    const { rows } = await this.pool.query<{ user_id: number; noted: ErasureRequest | null }>(
      'SELECT user_id, noted FROM erasures WHERE done_at IS NULL ORDER BY begun_at',
    );
    return rows.map(({ user_id, noted }) => ({ userId: user_id, request: noted }));
  }
}
