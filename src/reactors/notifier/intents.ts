import type pg from 'pg';
import { derivedId } from '../../kernel/ids.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Recipient } from './audience.ts';
import type { Facts } from './facts.ts';

export interface Addressee extends Recipient {
  readonly dueAt: number;
}

const INSERT = `
  INSERT INTO notification_intent (id, cause_id, cause_n, correlation_id, episode, project_id, user_id, channel, kind, facts, due_at)
  SELECT one.id, $1, $2, $3, $4, $5, one.user_id, one.channel, $6, $7, to_timestamp(one.due / 1000.0)
  FROM unnest($8::uuid[], $9::int[], $10::text[], $11::float8[]) AS one (id, user_id, channel, due)
  ON CONFLICT (cause_id, user_id, channel) DO NOTHING`;

/** A recovery is told where the failure was told, and nowhere else. */
const RECOVER = `
  INSERT INTO notification_intent (id, cause_id, cause_n, correlation_id, episode, project_id, user_id, channel, kind, facts, due_at)
  SELECT md5(told.user_id || ' ' || told.channel || ' ' || $1::uuid::text)::uuid, $1::uuid, $2::bigint, $3::uuid, $4::uuid, $5::text, told.user_id, told.channel, 'recovery', $6, to_timestamp($7 / 1000.0)
  FROM (SELECT DISTINCT user_id, channel FROM notification_intent WHERE episode = $4 AND kind = 'problem' AND state = 'bundled') AS told
  ON CONFLICT (cause_id, user_id, channel) DO NOTHING`;

/** What somebody is to be told, in the transaction of the one who follows the log. */
export class Intents {
  constructor(private readonly client: pg.ClientBase) {}

  /** The failure of a subject that is open; begins one when there is none. */
  async open(subject: string, projectId: string, cause: LogEvent): Promise<string> {
    const { rows } = await this.client.query<{ episode: string }>(
      `INSERT INTO notification_episode AS known (subject, project_id, episode) VALUES ($1, $2, $3)
       ON CONFLICT (subject) DO UPDATE SET episode = known.episode RETURNING episode`,
      [subject, projectId, cause.id],
    );
    return rows[0]?.episode ?? cause.id;
  }

  async episodeOf(subject: string): Promise<string | null> {
    const { rows } = await this.client.query<{ episode: string }>('SELECT episode FROM notification_episode WHERE subject = $1', [subject]);
    return rows[0]?.episode ?? null;
  }

  /** Who is told of this failure, or will be. */
  async told(episode: string): Promise<ReadonlySet<string>> {
    const { rows } = await this.client.query<{ user_id: number; channel: string }>(
      `SELECT user_id, channel FROM notification_intent WHERE episode = $1 AND kind = 'problem' AND state <> 'cancelled'`,
      [episode],
    );
    return new Set(rows.map(({ user_id, channel }) => `${String(user_id)} ${channel}`));
  }

  async add(cause: LogEvent, episode: string, projectId: string, facts: Facts, addressees: readonly Addressee[]): Promise<void> {
    if (addressees.length === 0) return;
    await this.client.query(INSERT, [
      cause.id,
      cause.n,
      cause.meta.correlationId,
      episode,
      projectId,
      'problem',
      JSON.stringify(facts),
      addressees.map(({ userId, channel }) => derivedId('intent', cause.id, userId, channel)),
      addressees.map(({ userId }) => userId),
      addressees.map(({ channel }) => channel),
      addressees.map(({ dueAt }) => dueAt),
    ]);
  }

  async recover(cause: LogEvent, episode: string, projectId: string, facts: Facts, now: number): Promise<void> {
    await this.client.query(RECOVER, [cause.id, cause.n, cause.meta.correlationId, episode, projectId, JSON.stringify(facts), now]);
  }

  /** What nobody has heard yet, nobody has to hear any more. */
  async cancel(episode: string): Promise<void> {
    await this.client.query(
      `UPDATE notification_intent SET state = 'cancelled' WHERE episode = $1 AND kind = 'problem' AND state = 'waiting'`,
      [episode],
    );
  }

  async close(subject: string): Promise<void> {
    await this.client.query('DELETE FROM notification_episode WHERE subject = $1', [subject]);
  }

  async forgetProject(projectId: string): Promise<void> {
    await this.client.query('DELETE FROM notification_episode WHERE project_id = $1', [projectId]);
    await this.client.query(`UPDATE notification_intent SET state = 'cancelled' WHERE project_id = $1 AND state = 'waiting'`, [projectId]);
  }

  async forgetUser(userId: number, projectId: string | null): Promise<void> {
    await this.client.query(
      `UPDATE notification_intent SET state = 'cancelled' WHERE user_id = $1 AND ($2::text IS NULL OR project_id = $2) AND state = 'waiting'`,
      [userId, projectId],
    );
  }
}
