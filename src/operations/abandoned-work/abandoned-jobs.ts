import type pg from 'pg';
import { Heartbeats } from '../../platform/postgres/heartbeats.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { EndJob } from '../../checker/jobs/job.commands.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import { type JobRow, jobView } from '../../checker/jobs/job.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';

/** Far longer than between two results of a running job. */
const ABANDONED_AFTER_MS = 3600_000;
/** The database clock may jump, so a job must also show no progress for this long by our own monotonic clock. */
const OBSERVED_MS = 600_000;

/** The database time, and which of the log positions were recorded at least `beforeMs` before it. */
export type RecordedBefore = (
  positions: readonly number[],
  beforeMs: number,
) => Promise<{ readonly now: number; readonly older: ReadonlySet<number> }>;

/** Only the clock of the database that recorded a request counts, not that of the process that wrote it. */
export const recordedIn =
  (pool: Pick<pg.Pool, 'query'>): RecordedBefore =>
  async (positions, beforeMs) => {
    const { rows } = await pool.query<{ now: Date; n: string | null }>(
      `SELECT clock.now, log.n FROM (SELECT clock_timestamp() AS now) AS clock
       LEFT JOIN log ON log.n = ANY ($1::bigint[]) AND log.recorded_at < clock.now - $2::float8 * interval '1 millisecond'`,
      [positions, beforeMs],
    );
    return { now: rows[0]?.now.getTime() ?? 0, older: new Set(rows.flatMap(({ n }) => (n === null ? [] : [Number(n)]))) };
  };

export interface AbandonedJobsParts {
  readonly recorded: RecordedBefore;
  readonly views: Pick<Views, 'list'>;
  readonly runs: Pick<RunStore, 'ofJob'>;
  readonly end: { execute(command: EndJob): Promise<void> };
}

/** Ends jobs without progress, so that none runs for ever. */
export class AbandonedJobs {
  constructor(
    private readonly parts: AbandonedJobsParts,
    private readonly patience = { afterMs: ABANDONED_AFTER_MS, observedMs: OBSERVED_MS },
    private readonly heartbeats = new Heartbeats(),
  ) {}

  /** Answers the ids of the jobs it ended. */
  async abandon(): Promise<readonly string[]> {
    const open = await this.parts.views.list(jobView, { order: { by: 'open' }, parked: 'as before' });
    this.heartbeats.forgetAllExcept(open.map(({ row }) => row.request.jobId));
    if (open.length === 0) return [];
    const { now, older } = await this.parts.recorded(
      open.map(({ row }) => row.order),
      this.patience.afterMs,
    );
    const abandoned: string[] = [];
    for (const { row } of open) if (older.has(row.order) && (await this.abandonOne(row, now))) abandoned.push(row.request.jobId);
    return abandoned;
  }

  private async abandonOne({ request, chain, requestedAt }: JobRow, now: number): Promise<boolean> {
    const results = await this.parts.runs.ofJob(request.projectId, request.jobId);
    const instants = results.map(({ at }) => at);
    if (Math.max(...instants, -Infinity) > now - this.patience.afterMs) return false;
    if (this.heartbeats.observe(request.jobId, String(results.length)) < this.patience.observedMs) return false;
    const startedAt = Math.min(Date.parse(requestedAt), ...instants);
    const commandId = derivedId('give up', request.jobId);
    await this.parts.end.execute(
      new EndJob(systemContext({ kind: 'reactor', id: 'sweeper' }, now, { commandId, chain }), {
        request,
        end: {
          jobId: request.jobId,
          startedAt: new Date(startedAt).toISOString(),
          milliseconds: Math.max(0, Math.max(...instants, startedAt) - startedAt),
          total: results.length,
          failed: results.filter(({ whole }) => 'status' in whole && whole.status !== 'ok').length,
          because: 'given up',
        },
      }),
    );
    return true;
  }
}
