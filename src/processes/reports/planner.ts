import type pg from 'pg';
import { NOTIFICATIONS } from '../../delivery/outbox/delivery-store.ts';
import type { Wake } from '../../persistence/wake.ts';
import type { Clock } from '../../kernel/clock.ts';
import { inTransaction } from '../../persistence/transaction.ts';
import { type AccountRow, accountView } from '../../projections/read-models/account/account.view.ts';
import { unlessParked, type Views, type ViewsAt } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import { type DuePlan, ReportPlan } from './report-plan.ts';
import { plan, type Planned } from './week.ts';

export interface PlannerParts {
  readonly pool: pg.Pool;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'ring' | 'bell'>;
  readonly clock: Clock;
  /** There is a mail server. While there is none, weeks pass without a report, and without one that waits. */
  readonly mailIsOn: boolean;
}

const AT_ONCE = 200;
const PAGE = 1_000;
/** The longest that it sleeps: clocks are set, machines are suspended. */
const LONGEST_MS = 30_000;
/** Reads are behind what made somebody look again. */
const SOON_MS = 250;
const PARKED_MS = 60_000;

type Weighed = DuePlan & { readonly planned: Planned | null };

/** Once a week writes down that somebody is to get a report: what is planned and what is written move in one transaction. */
export class ReportPlanner {
  constructor(private readonly parts: PlannerParts) {}

  async work(signal: AbortSignal): Promise<void> {
    const bell = this.parts.wake.bell(NOTIFICATIONS);
    try {
      while (!signal.aborted && !(await this.isShown())) await bell.wait(SOON_MS, signal);
      if (!signal.aborted) await this.acquaint();
      while (!signal.aborted) {
        if ((await this.turn()) > 0) continue;
        await bell.wait(await this.pause(), signal);
      }
    } finally {
      bell.close();
    }
  }

  /** Reads show everybody whom the notifier will not meet on its way any more. */
  private async isShown(): Promise<boolean> {
    const { rows } = await this.parts.pool.query<{ n: string }>('SELECT n FROM notifier_checkpoint');
    return rows[0] !== undefined && Number(rows[0].n) <= this.parts.views.now().position();
  }

  /** Whoever was there before the log was followed, also whose account cannot be read at the moment. */
  async acquaint(): Promise<void> {
    const { pool, views, clock } = this.parts;
    const table = views.now();
    for (let after: { readonly key: string } | undefined, full = true; full;) {
      const page = await table.list(accountView, { limit: PAGE, parked: 'as before', ...(after === undefined ? {} : { after }) });
      full = page.length === PAGE;
      after = page.at(-1);
      const userIds = page.map(({ row }) => row.userId);
      if (userIds.length > 0) await inTransaction(pool, (client) => new ReportPlan(client).acquaint(userIds, clock.now()));
    }
  }

  /** Answers for how many accounts it looked. */
  async turn(): Promise<number> {
    const { pool, views, clock, wake } = this.parts;
    const [now, table] = [clock.now(), views.now()];
    const written = await inTransaction(pool, async (client) => {
      const plans = new ReportPlan(client);
      const due = await plans.due(now, table.position(), AT_ONCE);
      if (due.length === 0) return null;
      const weighed = await this.weigh(due, table, now);
      for (const { userId, planned } of weighed) if (planned === null) await plans.forget(userId);
      await plans.next(weighed.flatMap(({ userId, planned }) => (planned === null ? [] : [{ userId, ...planned }])));
      const reports = weighed.flatMap(({ userId, planned }) => (planned?.report ? [{ userId, week: planned.report }] : []));
      if (reports.length > 0) await plans.write(reports, table.position(), now);
      return { looked: due.length, reports: reports.length };
    });
    if (written !== null && written.reports > 0) wake.ring(NOTIFICATIONS);
    return written?.looked ?? 0;
  }

  private weigh(due: readonly DuePlan[], table: Views, now: number): Promise<readonly Weighed[]> {
    return Promise.all(
      due.map(async ({ userId, lastWeek }) => {
        const planned = await unlessParked(this.planOf(userId, lastWeek, table, now));
        // An operator has to look at it; all others get their report.
        return { userId, lastWeek, planned: planned === 'parked' ? { lastWeek, lookAt: now + PARKED_MS, report: null } : planned };
      }),
    );
  }

  private async planOf(userId: number, lastWeek: string | null, table: Views, now: number): Promise<Planned | null> {
    const account = await table.get(accountView, String(userId));
    return account === null ? null : this.planFor(account, lastWeek, table, now);
  }

  private async planFor(account: AccountRow, lastWeek: string | null, table: Views, now: number): Promise<Planned> {
    const planned = plan(lastWeek, account, now);
    if (planned.report === null) return planned;
    const isOfUse = this.parts.mailIsOn && (await hasProjects(table, account.userId));
    return isOfUse ? planned : { ...planned, report: null };
  }

  private async pause(): Promise<number> {
    const { rows } = await this.parts.pool.query<{ at: Date | number | null }>('SELECT min(look_at) AS at FROM report_plan');
    const at = rows[0]?.at;
    // What nobody waits for is at infinity, which comes as a number.
    if (!(at instanceof Date)) return LONGEST_MS;
    return Math.min(LONGEST_MS, Math.max(SOON_MS, at.getTime() - this.parts.clock.now()));
  }
}

const hasProjects = async (table: Views, userId: number): Promise<boolean> =>
  (await table.list(projectView, { where: { members: { has: userId } }, limit: 1 })).length > 0;
