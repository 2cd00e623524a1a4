import type pg from 'pg';
import { Heartbeats } from '../../persistence/heartbeats.ts';
import { systemContext } from '../../commands/context.ts';
import { EndJob, type EndJobHandler } from '../../commands/job/end-job.command.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import { type JobRow, jobView } from '../../projections/read-models/job/job.view.ts';
import type { Views } from '../../projections/views/views.ts';

/** Far longer than from one result to the next where anybody looks. */
const GIVEN_UP_AFTER_MS = 3600_000;
/** An hour that is over at once is a clock that was set: for so long nothing has to come by our own clock, too. */
const WATCHED_MS = 600_000;

/** The time of the database, and which of the positions of the log were recorded so long before it. */
export type Recorded = (
  positions: readonly number[],
  beforeMs: number,
) => Promise<{ readonly now: number; readonly older: ReadonlySet<number> }>;

/** The clock of the process that wrote a request may be any; the one that recorded it counts. */
export const recordedIn =
  (pool: Pick<pg.Pool, 'query'>): Recorded =>
  async (positions, beforeMs) => {
    const { rows } = await pool.query<{ now: Date; n: string | null }>(
      `SELECT clock.now, log.n FROM (SELECT clock_timestamp() AS now) AS clock
       LEFT JOIN log ON log.n = ANY ($1::bigint[]) AND log.recorded_at < clock.now - $2::float8 * interval '1 millisecond'`,
      [positions, beforeMs],
    );
    return { now: rows[0]?.now.getTime() ?? 0, older: new Set(rows.flatMap(({ n }) => (n === null ? [] : [Number(n)]))) };
  };

export interface JobSweepParts {
  readonly recorded: Recorded;
  readonly views: Pick<Views, 'list'>;
  readonly runs: Pick<RunStore, 'ofJob'>;
  readonly end: Pick<EndJobHandler, 'execute'>;
}

/** Jobs that nobody gets on with: no job is under way for ever. */
export class JobSweep {
  constructor(
    private readonly parts: JobSweepParts,
    private readonly patience = { afterMs: GIVEN_UP_AFTER_MS, watchedMs: WATCHED_MS },
    private readonly heartbeats = new Heartbeats(),
  ) {}

  /** Answers the jobs that were given up. */
  async sweep(): Promise<readonly string[]> {
    const open = await this.parts.views.list(jobView, { order: { by: 'open' }, parked: 'as before' });
    this.heartbeats.forgetAllExcept(open.map(({ row }) => row.request.jobId));
    if (open.length === 0) return [];
    const { now, older } = await this.parts.recorded(
      open.map(({ row }) => row.order),
      this.patience.afterMs,
    );
    const given: string[] = [];
    for (const { row } of open) if (older.has(row.order) && (await this.giveUp(row, now))) given.push(row.request.jobId);
    return given;
  }

  private async giveUp({ request, chain, requestedAt }: JobRow, now: number): Promise<boolean> {
    const results = await this.parts.runs.ofJob(request.jobId);
    const instants = results.map(({ at }) => at);
    if (Math.max(...instants, -Infinity) > now - this.patience.afterMs) return false;
    if (this.heartbeats.observe(request.jobId, String(results.length)) < this.patience.watchedMs) return false;
    const startedAt = Math.min(Date.parse(requestedAt), ...instants);
    const commandId = derivedId('give up', request.jobId);
    await this.parts.end.execute(
      new EndJob(systemContext({ kind: 'reactor', id: 'sweeper' }, now, { commandId, chain }), request, {
        jobId: request.jobId,
        startedAt: new Date(startedAt).toISOString(),
        milliseconds: Math.max(0, Math.max(...instants, startedAt) - startedAt),
        total: results.length,
        failed: results.filter(({ whole }) => 'status' in whole && whole.status !== 'ok').length,
        because: 'given up',
      }),
    );
    return true;
  }
}
