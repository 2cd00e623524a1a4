import type pg from 'pg';
import { derivedId } from '../../kernel/ids.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Recipient } from './audience.ts';
import type { Facts } from './facts.ts';

export interface Addressee extends Recipient {
  readonly dueAt: number;
}

const COLUMNS = 'id, cause_id, cause_n, correlation_id, episode, project_id, user_id, channel, kind, facts, due_at, made_at';

const INSERT = `
  INSERT INTO notification_intent (${COLUMNS})
  SELECT one.id, $1, $2, $3, $4, $5, one.user_id, one.channel, $6, $7, to_timestamp(one.due / 1000.0), to_timestamp($12 / 1000.0)
  FROM unnest($8::uuid[], $9::int[], $10::text[], $11::float8[]) AS one (id, user_id, channel, due)
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

const ID = `md5(told.user_id || ' ' || told.channel || ' ' || told.episode || ' ' || $1::uuid::text)::uuid`;

/** A recovery is told where the failure was told, and nowhere else. */
const RECOVER = `
  INSERT INTO notification_intent (${COLUMNS})
  SELECT ${ID}, $1::uuid, $2::bigint, $3::uuid, told.episode, $5::text, told.user_id, told.channel, 'recovery', $6, to_timestamp($7 / 1000.0),
    to_timestamp($7 / 1000.0)
  FROM (
    SELECT DISTINCT episode, user_id, channel FROM notification_intent
    WHERE episode = $4 AND kind = 'problem' AND state = 'bundled' AND NOT over) AS told
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

const OF_WHICH = `($1::uuid IS NULL OR episode = $1) AND ($2::text IS NULL OR project_id = $2) AND ($3::int IS NULL OR user_id = $3)`;
const OPEN = `kind = 'problem' AND NOT over AND ${OF_WHICH}`;

/** Where something stays open until it hears of an end, it hears of it. */
const WITHDRAW = `
  INSERT INTO notification_intent (${COLUMNS})
  SELECT ${ID.replace('$1', '$4')}, $4::uuid, $5::bigint, $6::uuid, told.episode, told.project_id, told.user_id, told.channel, 'withdrawal',
    told.facts || '{"status": "ok"}', to_timestamp($7 / 1000.0), to_timestamp($7 / 1000.0)
  FROM (
    SELECT DISTINCT ON (episode, user_id, channel) * FROM notification_intent
    WHERE state = 'bundled' AND channel = ANY ($8::text[]) AND ${OPEN}
    ORDER BY episode, user_id, channel, cause_n) AS told
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

/** What is still on its way says nothing of it any more; should it arrive at this moment, the withdrawal comes after it. */
const RECALL = `
  UPDATE notification_intent SET state = 'cancelled'
  WHERE state = 'bundled' AND ${OPEN} AND EXISTS (SELECT FROM notification_message m WHERE m.id = message_id AND m.state = 'due')`;

/** Of what began to fail and fails otherwise by now: how it fails today, since when it did at all. */
const RENEW = `
  UPDATE notification_intent i SET facts = $2::jsonb || jsonb_build_object('since', i.facts -> 'since')
  FROM unnest($3::int[], $4::text[]) AS one (user_id, channel)
  WHERE i.episode = $1 AND i.kind = 'problem' AND i.state = 'waiting' AND i.user_id = one.user_id AND i.channel = one.channel`;

/** Whoever saw the failure may have had a clock that is ahead. A maintenance is looked at again when it is due. */
const DELAY = `
  UPDATE notification_intent SET due_at = least((facts ->> 'since')::timestamptz, made_at) + $2::int * interval '1 minute'
  WHERE user_id = $1 AND kind = 'problem' AND state = 'waiting'`;

const SPARE_TIMEOUTS = `
  UPDATE notification_intent SET state = 'cancelled'
  WHERE project_id = $1 AND user_id = $2 AND kind = 'problem' AND state = 'waiting' AND facts ->> 'status' = 'timeout'`;

/** Which failures: of one episode, one project, one recipient, or of what several of these have in common. */
export interface Which {
  readonly episode?: string;
  readonly projectId?: string;
  readonly userId?: number;
}

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

  /** Who is told of this failure, or will be; who left the project is told of nothing any more, and comes back as anybody else. */
  async told(episode: string): Promise<ReadonlySet<string>> {
    const { rows } = await this.client.query<{ user_id: number; channel: string }>(
      `SELECT user_id, channel FROM notification_intent WHERE episode = $1 AND kind = 'problem' AND state <> 'cancelled' AND NOT over`,
      [episode],
    );
    return new Set(rows.map(({ user_id, channel }) => `${String(user_id)} ${channel}`));
  }

  async add(
    cause: LogEvent,
    episode: string,
    projectId: string,
    facts: Facts,
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

  /** What has not gone out yet speaks of the failure as it is now, to those who want to hear of that. */
  async renew(episode: string, facts: Facts, to: readonly Recipient[]): Promise<void> {
    const [users, channels] = [to.map(({ userId }) => userId), to.map(({ channel }) => channel)];
    await this.client.query(RENEW, [episode, JSON.stringify(facts), users, channels]);
  }

  async delay(userId: number, minutes: number): Promise<void> {
    await this.client.query(DELAY, [userId, minutes]);
  }

  async spareTimeouts(projectId: string, userId: number): Promise<void> {
    await this.client.query(SPARE_TIMEOUTS, [projectId, userId]);
  }

  async recover(cause: LogEvent, episode: string, projectId: string, facts: Facts, now: number): Promise<void> {
    // What nobody has heard yet, nobody has to hear any more.
    await this.cancel({ episode }, []);
    await this.client.query(RECOVER, [cause.id, cause.n, cause.meta.correlationId, episode, projectId, JSON.stringify(facts), now]);
    await this.over({ episode });
  }

  /** An end without a recovery: no alarm to anybody, but what stands open on `channels` is closed there. */
  async withdraw(cause: LogEvent, which: Which, channels: readonly string[], now: number): Promise<void> {
    await this.cancel(which, channels);
    const { id, n, meta } = cause;
    await this.client.query(WITHDRAW, [...parameters(which), id, n, meta.correlationId, now, channels]);
    // Of who left the sender says that they left.
    if (which.userId === undefined) await this.client.query(RECALL, parameters(which));
    await this.over(which);
  }

  async close(subject: string): Promise<void> {
    await this.client.query('DELETE FROM notification_episode WHERE subject = $1', [subject]);
  }

  async closeAll(projectId: string): Promise<void> {
    await this.client.query('DELETE FROM notification_episode WHERE project_id = $1', [projectId]);
  }

  /** Everything that waits, but what closes something over there. */
  private async cancel(which: Which, closing: readonly string[]): Promise<void> {
    await this.client.query(
      `UPDATE notification_intent SET state = 'cancelled'
       WHERE state = 'waiting' AND (kind = 'problem' OR NOT channel = ANY ($4::text[])) AND ${OF_WHICH}`,
      [...parameters(which), closing],
    );
  }

  private async over(which: Which): Promise<void> {
    await this.client.query(`UPDATE notification_intent SET over = true WHERE ${OPEN}`, parameters(which));
  }
}

const parameters = ({ episode, projectId, userId }: Which): unknown[] => [episode ?? null, projectId ?? null, userId ?? null];
