import type pg from 'pg';
import { ownContext } from '../commands/context.ts';
import { EndJob, type EndJobHandler } from '../commands/job/end-job.command.ts';
import { derivedId } from '../kernel/ids.ts';
import type { RunStore } from '../observations/runs/run-store.ts';
import { type JobRow, jobView } from '../projections/job/job.view.ts';
import type { Views } from '../projections/kit/views.ts';

/** Far longer than from one result to the next where anybody looks. */
export const GIVEN_UP_AFTER_MS = 3600_000;

export interface JobSweepParts {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly views: Pick<Views, 'list'>;
  readonly runs: Pick<RunStore, 'ofJob'>;
  readonly end: Pick<EndJobHandler, 'execute'>;
}

/** Jobs that nobody gets on with: no job is under way for ever. */
export class JobSweep {
  constructor(
    private readonly parts: JobSweepParts,
    private readonly afterMs = GIVEN_UP_AFTER_MS,
  ) {}

  /** Answers the jobs that were given up. */
  async sweep(): Promise<readonly string[]> {
    const open = await this.parts.views.list(jobView, { order: { by: 'open' } });
    if (open.length === 0) return [];
    const { now, requestedBefore } = await this.database(open.map(({ row }) => row));
    const given: string[] = [];
    for (const { row } of open) if (requestedBefore.has(row.order) && (await this.giveUp(row, now))) given.push(row.request.jobId);
    return given;
  }

  /** The clock of the process that wrote the request may be any; the one that recorded it counts. */
  private async database(rows: readonly JobRow[]): Promise<{ readonly now: number; readonly requestedBefore: ReadonlySet<number> }> {
    const { rows: found } = await this.parts.pool.query<{ now: Date; n: string | null }>(
      `SELECT clock.now, log.n FROM (SELECT clock_timestamp() AS now) AS clock
       LEFT JOIN log ON log.n = ANY ($1::bigint[]) AND log.recorded_at < clock.now - $2::float8 * interval '1 millisecond'`,
      [rows.map(({ order }) => order), this.afterMs],
    );
    return { now: found[0]?.now.getTime() ?? 0, requestedBefore: new Set(found.flatMap(({ n }) => (n === null ? [] : [Number(n)]))) };
  }

  private async giveUp({ request, chain, requestedAt }: JobRow, now: number): Promise<boolean> {
    const results = await this.parts.runs.ofJob(request.jobId);
    const instants = results.map(({ at }) => at);
    if (Math.max(...instants, -Infinity) > now - this.afterMs) return false;
    const startedAt = Math.min(Date.parse(requestedAt), ...instants);
    const commandId = derivedId('give up', request.jobId);
    await this.parts.end.execute(
      new EndJob(ownContext({ kind: 'reactor', id: 'sweeper' }, now, { commandId, chain }), request, {
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
