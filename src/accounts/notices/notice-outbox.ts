import type pg from 'pg';
import { derivedId } from '../../kernel/ids.ts';
import type { Notice } from './notice.ts';

/** What a notice follows from: an event, or a measurement with an id of its own. */
export interface NoticeCause {
  readonly id: string;
  readonly n: number;
  readonly correlationId: string;
}

const INSERT = `
  INSERT INTO notification_intent (id, cause_id, cause_n, correlation_id, episode, project_id, user_id, channel, kind, facts, due_at, made_at)
  VALUES ($1, $2, $3, $4, $2, '', $5, 'email', 'notice', $6, $7, $7)
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

/** Writes security notices into the transactional outbox; idempotent per cause and account. */
export async function addNotice(
  db: Pick<pg.ClientBase, 'query'>,
  cause: NoticeCause,
  userId: number,
  notice: Notice,
  now: number,
): Promise<void> {
  const id = derivedId('notice', cause.id, userId);
  await db.query(INSERT, [id, cause.id, cause.n, cause.correlationId, userId, JSON.stringify(notice), new Date(now)]);
}
