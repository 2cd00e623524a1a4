import type pg from 'pg';
import { derivedId } from '../../kernel/ids.ts';
import type { ReportWeek } from './week.ts';

const SCHEDULE_REVIEW = `
  INSERT INTO report_plan (user_id, look_at, seen_n) VALUES ($1, $2, $3)
  ON CONFLICT (user_id) DO UPDATE SET look_at = excluded.look_at, seen_n = greatest(report_plan.seen_n, excluded.seen_n)`;

const DUE = `
  SELECT user_id AS "userId", last_week::text AS "lastWeek" FROM report_plan
  WHERE look_at <= $1 AND seen_n <= $2 ORDER BY look_at LIMIT $3 FOR UPDATE SKIP LOCKED`;

const WRITE = `
  INSERT INTO notification_intent (id, cause_id, cause_n, correlation_id, episode, project_id, user_id, channel, kind, facts, due_at, made_at)
  SELECT id, id, $1, id, id, '', user_id, 'email', 'report', facts, $2, $2
  FROM unnest($3::uuid[], $4::int[], $5::jsonb[]) AS one (id, user_id, facts)
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

export interface DuePlan {
  readonly userId: number;
  readonly lastWeek: string | null;
}

export interface NextPlan extends DuePlan {
  /** Milliseconds since the epoch, or Infinity. */
  readonly reviewAt: number;
}

/** The report schedule: each account's last reported week and the time of its next review, within the caller's transaction. */
export class ReportPlan {
  constructor(private readonly client: pg.ClientBase) {}

  /** Event `n` may have changed the account's schedule; it is reviewed once read models show `n`. */
  async scheduleReview(userId: number, n: number, now: number): Promise<void> {
    await this.client.query(SCHEDULE_REVIEW, [userId, new Date(now), n]);
  }

  /** Adds accounts that were opened before the notification process followed the log. */
  async addAccounts(userIds: readonly number[], now: number): Promise<void> {
    await this.client.query(
      'INSERT INTO report_plan (user_id, look_at, seen_n) SELECT one, $2, -1 FROM unnest($1::int[]) AS one ON CONFLICT DO NOTHING',
      [userIds, new Date(now)],
    );
  }

  async forget(userId: number): Promise<void> {
    await this.client.query('DELETE FROM report_plan WHERE user_id = $1', [userId]);
  }

  /** Locked until the transaction ends, so that no other instance plans them. `visible`: the log position that read models show. */
  async due(now: number, visible: number, limit: number): Promise<readonly DuePlan[]> {
    return (await this.client.query<DuePlan>(DUE, [new Date(now), visible, limit])).rows;
  }

  async reschedule(plans: readonly NextPlan[]): Promise<void> {
    await this.client.query(
      `UPDATE report_plan SET last_week = one.last_week, look_at = coalesce(to_timestamp(one.look_at / 1000.0), 'infinity')
       FROM unnest($1::int[], $2::date[], $3::float8[]) AS one (user_id, last_week, look_at) WHERE report_plan.user_id = one.user_id`,
      [
        plans.map(({ userId }) => userId),
        plans.map(({ lastWeek }) => lastWeek),
        plans.map(({ reviewAt }) => (reviewAt === Infinity ? null : reviewAt)),
      ],
    );
  }

  /** Idempotent: the intent's id is derived from user and week. */
  async addIntents(reports: readonly { readonly userId: number; readonly week: ReportWeek }[], n: number, now: number): Promise<void> {
    await this.client.query(WRITE, [
      n,
      new Date(now),
      reports.map(({ userId, week }) => derivedId('weekly report', userId, week.monday)),
      reports.map(({ userId }) => userId),
      reports.map(({ week }) => JSON.stringify(week.span)),
    ]);
  }
}
