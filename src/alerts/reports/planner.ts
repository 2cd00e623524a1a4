import type pg from 'pg';
import { NOTIFICATIONS } from '../../platform/outbox/delivery-store.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import type { Clock } from '../../kernel/clock.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { accountView } from '../../accounts/account.view.ts';
import { unlessParked, type Views, type ViewsAt } from '../../platform/read-models/views/views.ts';
import { projectView } from '../../projects/project.view.ts';
import { NOTIFIER } from '../process/notification-process.ts';
import { type DuePlan, ReportPlan } from './report-plan.ts';
import { decideReport, type ReportDecision } from './week.ts';

export interface ReportPlannerParts {
  readonly pool: pg.Pool;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'ring' | 'bell'>;
  readonly clock: Clock;
  /** Without a mail server weeks pass unreported, and no reports pile up. */
  readonly mailIsConfigured: boolean;
}

const BATCH = 200;
const PAGE = 1_000;
/** Longest sleep: clocks are set, machines are suspended. */
const MAX_SLEEP_MS = 30_000;
/** While the read models are behind the event that caused a review. */
const SOON_MS = 250;
const PARKED_MS = 60_000;

type DecidedPlan = DuePlan & { readonly decision: ReportDecision | null };

/** The process manager of weekly reports: writes report intents into the outbox, in one transaction with the schedule. */
export class ReportPlanner {
  constructor(private readonly parts: ReportPlannerParts) {}

  async work(signal: AbortSignal): Promise<void> {
    const bell = this.parts.wake.bell(NOTIFICATIONS);
    try {
      while (!signal.aborted && !(await this.isCaughtUp())) await bell.wait(SOON_MS, signal);
      if (!signal.aborted) await this.addKnownAccounts();
      while (!signal.aborted) {
        if ((await this.planDue()) > 0) continue;
        await bell.wait(await this.waitMs(), signal);
      }
    } finally {
      bell.close();
    }
  }

  /** The read models contain every account opened before the notification process's checkpoint, which will not see those again. */
  private async isCaughtUp(): Promise<boolean> {
    const { rows } = await this.parts.pool.query<{ n: string }>('SELECT n FROM consumer WHERE name = $1', [NOTIFIER]);
    return rows[0] !== undefined && Number(rows[0].n) <= this.parts.views.now().position();
  }

  /** Includes parked accounts. */
  async addKnownAccounts(): Promise<void> {
    const { pool, views, clock } = this.parts;
    const table = views.now();
    for (let after: { readonly key: string } | undefined, full = true; full;) {
      const page = await table.list(accountView, { limit: PAGE, parked: 'as before', ...(after === undefined ? {} : { after }) });
      full = page.length === PAGE;
      after = page.at(-1);
      const userIds = page.map(({ row }) => row.userId);
      if (userIds.length > 0) await inTransaction(pool, (client) => new ReportPlan(client).addAccounts(userIds, clock.now()));
    }
  }

  /** Answers the number of accounts reviewed. */
  async planDue(): Promise<number> {
    const { pool, views, clock, wake } = this.parts;
    const [now, table] = [clock.now(), views.now()];
    const written = await inTransaction(pool, async (client) => {
      const plans = new ReportPlan(client);
      const due = await plans.due(now, table.position(), BATCH);
      if (due.length === 0) return null;
      const decided = await this.decide(due, table, now);
      for (const { userId, decision } of decided) if (decision === null) await plans.forget(userId);
      await plans.reschedule(decided.flatMap(({ userId, decision }) => (decision === null ? [] : [{ userId, ...decision }])));
      const reports = decided.flatMap(({ userId, decision }) => (decision?.report ? [{ userId, week: decision.report }] : []));
      if (reports.length > 0) await plans.addIntents(reports, table.position(), now);
      return { reviewed: due.length, reports: reports.length };
    });
    if (written !== null && written.reports > 0) wake.ring(NOTIFICATIONS);
    return written?.reviewed ?? 0;
  }

  private decide(due: readonly DuePlan[], table: Views, now: number): Promise<readonly DecidedPlan[]> {
    return Promise.all(
      due.map(async ({ userId, lastWeek }) => {
        const decision = await unlessParked(this.decideFor(userId, lastWeek, table, now));
        // A parked account waits for an operator and does not block the others.
        return { userId, lastWeek, decision: decision === 'parked' ? { lastWeek, reviewAt: now + PARKED_MS, report: null } : decision };
      }),
    );
  }

  private async decideFor(userId: number, lastWeek: string | null, table: Views, now: number): Promise<ReportDecision | null> {
    const account = await table.get(accountView, String(userId));
    if (account === null) return null;
    const decision = decideReport(lastWeek, account, now);
    const hasContent = decision.report !== null && this.parts.mailIsConfigured && (await hasProjects(table, userId));
    return hasContent ? decision : { ...decision, report: null };
  }

  private async waitMs(): Promise<number> {
    const { rows } = await this.parts.pool.query<{ at: Date | number | null }>('SELECT min(look_at) AS at FROM report_plan');
    const at = rows[0]?.at;
    // The driver answers Postgres' `infinity` as a number.
    if (!(at instanceof Date)) return MAX_SLEEP_MS;
    return Math.min(MAX_SLEEP_MS, Math.max(SOON_MS, at.getTime() - this.parts.clock.now()));
  }
}

const hasProjects = async (table: Views, userId: number): Promise<boolean> =>
  (await table.list(projectView, { where: { members: { has: userId } }, limit: 1 })).length > 0;
