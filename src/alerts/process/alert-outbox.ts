import type pg from 'pg';
import type { AlertFacts } from '../composing/message.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Recipient } from './audience.ts';

export interface Addressee extends Recipient {
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
}

const COLUMNS = 'id, cause_id, cause_n, correlation_id, episode, project_id, user_id, channel, kind, facts, due_at, made_at';

const INSERT = `
  INSERT INTO notification_intent (${COLUMNS})
  SELECT one.id, $1, $2, $3, $4, $5, one.user_id, one.channel, $6, $7, to_timestamp(one.due / 1000.0), to_timestamp($12 / 1000.0)
  FROM unnest($8::uuid[], $9::int[], $10::text[], $11::float8[]) AS one (id, user_id, channel, due)
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

const ID = `md5(notified.user_id || ' ' || notified.channel || ' ' || notified.episode || ' ' || $1::uuid::text)::uuid`;

/** A recovery goes to the recipients of the failure, and to no others. */
const INSERT_RECOVERY = `
  INSERT INTO notification_intent (${COLUMNS})
  SELECT ${ID}, $1::uuid, $2::bigint, $3::uuid, notified.episode, $5::text, notified.user_id, notified.channel, 'recovery', $6, to_timestamp($7 / 1000.0),
    to_timestamp($7 / 1000.0)
  FROM (
    SELECT DISTINCT episode, user_id, channel FROM notification_intent
    WHERE episode = $4 AND kind = 'problem' AND state = 'bundled' AND NOT over) AS notified
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

const SELECTED = `($1::uuid IS NULL OR episode = $1) AND ($2::text IS NULL OR project_id = $2) AND ($3::int IS NULL OR user_id = $3)`;
const OPEN = `kind = 'problem' AND NOT over AND ${SELECTED}`;

/** Channels that open incidents get a message that resolves them. */
const INSERT_WITHDRAWAL = `
  INSERT INTO notification_intent (${COLUMNS})
  SELECT ${ID.replace('$1', '$4')}, $4::uuid, $5::bigint, $6::uuid, notified.episode, notified.project_id, notified.user_id, notified.channel, 'withdrawal',
    notified.facts || '{"status": "ok"}', to_timestamp($7 / 1000.0), to_timestamp($7 / 1000.0)
  FROM (
    SELECT DISTINCT ON (episode, user_id, channel) * FROM notification_intent
    WHERE state = 'bundled' AND channel = ANY ($8::text[]) AND ${OPEN}
    ORDER BY episode, user_id, channel, cause_n) AS notified
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

/** Removes the cause from messages that are not delivered yet; if one is delivered at this moment, the withdrawal follows it. */
const RECALL = `
  UPDATE notification_intent SET state = 'cancelled'
  WHERE state = 'bundled' AND ${OPEN} AND EXISTS (SELECT FROM notification_message m WHERE m.id = message_id AND m.state = 'due')`;

/** Replaces the facts of waiting intents and keeps when the failure began. */
const UPDATE_WAITING = `
  UPDATE notification_intent i SET facts = $2::jsonb || jsonb_build_object('since', i.facts -> 'since')
  FROM unnest($3::int[], $4::text[]) AS one (user_id, channel)
  WHERE i.episode = $1 AND i.kind = 'problem' AND i.state = 'waiting' AND i.user_id = one.user_id AND i.channel = one.channel`;

/** `made_at` bounds the start of the failure, which a checker's clock that is ahead may have put into the future. Maintenance is checked again when due. */
const CHANGE_DELAY = `
  UPDATE notification_intent SET due_at = least((facts ->> 'since')::timestamptz, made_at) + $2::int * interval '1 minute'
  WHERE user_id = $1 AND kind = 'problem' AND state = 'waiting'`;

const CANCEL_TIMEOUTS = `
  UPDATE notification_intent SET state = 'cancelled'
  WHERE project_id = $1 AND user_id = $2 AND kind = 'problem' AND state = 'waiting' AND facts ->> 'status' = 'timeout'`;

/** Selects failures by episode, project and recipient; all given members must match. */
interface IntentFilter {
  readonly episode?: string;
  readonly projectId?: string;
  readonly userId?: number;
}

/**
 * The write side of the transactional outbox: intents commit with the checkpoint of the notification process. The delivery worker
 * bundles them into messages and sends those. An episode is one failure of one subject, from its problem to its recovery.
 */
export class AlertOutbox {
  constructor(private readonly client: pg.ClientBase) {}

  /** Answers the subject's open episode, or opens one. */
  async openEpisode(subject: string, projectId: string, cause: LogEvent): Promise<string> {
    const { rows } = await this.client.query<{ episode: string }>(
      `INSERT INTO notification_episode AS known (subject, project_id, episode) VALUES ($1, $2, $3)
       ON CONFLICT (subject) DO UPDATE SET episode = known.episode RETURNING episode`,
      [subject, projectId, cause.id],
    );
    return rows[0]?.episode ?? cause.id;
  }

  async openEpisodeOf(subject: string): Promise<string | null> {
    const { rows } = await this.client.query<{ episode: string }>('SELECT episode FROM notification_episode WHERE subject = $1', [subject]);
    return rows[0]?.episode ?? null;
  }

  /** Recipients that were or will be notified of the episode, as `userId channel`. Former members are not among them. */
  async notifiedOf(episode: string): Promise<ReadonlySet<string>> {
    const { rows } = await this.client.query<{ user_id: number; channel: string }>(
      `SELECT user_id, channel FROM notification_intent WHERE episode = $1 AND kind = 'problem' AND state <> 'cancelled' AND NOT over`,
      [episode],
    );
    return new Set(rows.map(({ user_id, channel }) => `${String(user_id)} ${channel}`));
  }

  async addProblem(
    cause: LogEvent,
    episode: string,
    projectId: string,
    facts: AlertFacts,
    addressees: readonly Addressee[],
    now: number,
  ): Promise<void> {
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
      now,
    ]);
  }

  /** Intents that are still waiting report the failure as it is now. */
  async updateWaiting(episode: string, facts: AlertFacts, to: readonly Recipient[]): Promise<void> {
    const [users, channels] = [to.map(({ userId }) => userId), to.map(({ channel }) => channel)];
    await this.client.query(UPDATE_WAITING, [episode, JSON.stringify(facts), users, channels]);
  }

  async changeDelay(userId: number, minutes: number): Promise<void> {
    await this.client.query(CHANGE_DELAY, [userId, minutes]);
  }

  async cancelTimeouts(projectId: string, userId: number): Promise<void> {
    await this.client.query(CANCEL_TIMEOUTS, [projectId, userId]);
  }

  async addRecovery(cause: LogEvent, episode: string, projectId: string, facts: AlertFacts, now: number): Promise<void> {
    // A failure that was not reported yet needs no report of its end.
    await this.cancelWaiting({ episode }, []);
    await this.client.query(INSERT_RECOVERY, [cause.id, cause.n, cause.meta.correlationId, episode, projectId, JSON.stringify(facts), now]);
    await this.markOver({ episode });
  }

  /** Monitoring ended without a recovery: sends nothing but the resolution of incidents opened on `channels`. */
  async withdraw(cause: LogEvent, filter: IntentFilter, channels: readonly string[], now: number): Promise<void> {
    await this.cancelWaiting(filter, channels);
    const { id, n, meta } = cause;
    await this.client.query(INSERT_WITHDRAWAL, [...parameters(filter), id, n, meta.correlationId, now, channels]);
    // For a recipient who left, the delivery worker itself refuses what is already bundled.
    if (filter.userId === undefined) await this.client.query(RECALL, parameters(filter));
    await this.markOver(filter);
  }

  async closeEpisode(subject: string): Promise<void> {
    await this.client.query('DELETE FROM notification_episode WHERE subject = $1', [subject]);
  }

  async closeEpisodesOfProject(projectId: string): Promise<void> {
    await this.client.query('DELETE FROM notification_episode WHERE project_id = $1', [projectId]);
  }

  /** Keeps waiting recoveries on the `closing` channels: they resolve incidents. */
  private async cancelWaiting(filter: IntentFilter, closing: readonly string[]): Promise<void> {
    await this.client.query(
      `UPDATE notification_intent SET state = 'cancelled'
       WHERE state = 'waiting' AND (kind = 'problem' OR NOT channel = ANY ($4::text[])) AND ${SELECTED}`,
      [...parameters(filter), closing],
    );
  }

  private async markOver(filter: IntentFilter): Promise<void> {
    await this.client.query(`UPDATE notification_intent SET over = true WHERE ${OPEN}`, parameters(filter));
  }
}

const parameters = ({ episode, projectId, userId }: IntentFilter): unknown[] => [episode ?? null, projectId ?? null, userId ?? null];
