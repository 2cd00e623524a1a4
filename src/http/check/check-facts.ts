import { Inject, Injectable } from '@nestjs/common';
import { keptResponse, noResponse, writtenResponse } from '../../observations/runs/run-response.ts';
import { RUN_STORE, type RunStore, type WholeRun } from '../../observations/runs/run-store.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import { jobView } from '../../projections/read-models/job/job.view.ts';
import type { Views } from '../../projections/views/views.ts';
import { type VerdictRow, verdictView } from '../../projections/read-models/verdict/verdict.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { currentAsOf } from '../as-of/as-of.ts';
import { unixSeconds } from '../presentation/answers.ts';
import type { CheckFacts } from './check.presenter.ts';
import { isUrl } from '../../kernel/url.ts';
import { projectStream } from '../../domain/stream-names.ts';

/** Reads what the service found out about checks. */
@Injectable()
export class CheckFactsReader {
  constructor(@Inject(RUN_STORE) private readonly runs: RunStore) {}

  async read(views: Views, project: ProjectRow, rows: readonly CheckRow[]): Promise<ReadonlyMap<string, CheckFacts>> {
    const ids = rows.map(({ id }) => id);
    const [verdicts, latest, running] = await Promise.all([
      views.many(verdictView, ids),
      this.latest(project.id, ids),
      this.running(views, project.id),
    ]);
    return new Map(rows.map((row) => [row.id, factsOf(row, project, verdicts.get(row.id), latest.get(row.id), running.has(row.id))]));
  }

  /** As of an instant, packed runs give time and outcome; the whole response is stored only with the newest run and those of jobs. */
  private async latest(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, WholeRun>> {
    const asOf = currentAsOf();
    if (asOf === undefined) return this.runs.latest(ids);
    const [runs, newest] = await Promise.all([this.runs.lastOf(projectId, ids, asOf.at), this.runs.latest(ids)]);
    const jobs = new Set([...runs.values()].flatMap(({ jobId }) => jobId ?? []));
    const ofJobs = (await Promise.all([...jobs].map((jobId) => this.runs.ofJob(jobId)))).flat();
    const whole = new Map([...ofJobs, ...newest.values()].map((run) => [`${run.checkId} ${String(run.at)}`, run]));
    return new Map(
      [...runs].map(([id, run]) => {
        const rest: WholeRun = { checkId: id, at: run.at, whole: { response: keptResponse(run) } };
        return [id, whole.get(`${id} ${String(run.at)}`) ?? rest];
      }),
    );
  }

  /** The checks of open jobs without a result yet. */
  private async running(views: Views, projectId: string): Promise<ReadonlySet<string>> {
    const jobs = await views.list(jobView, { scope: projectStream(projectId), where: { open: { eq: projectId } } });
    const checks = new Set<string>();
    for (const { row } of jobs) {
      const done = new Set((await this.runs.ofJob(row.request.jobId)).map(({ checkId }) => checkId));
      for (const checkId of row.request.checkIds) if (!done.has(checkId)) checks.add(checkId);
    }
    return checks;
  }
}

function factsOf(
  row: CheckRow,
  project: ProjectRow,
  verdict: VerdictRow | undefined,
  latest: WholeRun | undefined,
  running: boolean,
): CheckFacts {
  const { url } = row.settings;
  return {
    verdict: verdict ?? null,
    running,
    status: verdict?.status ?? 'unknown',
    failures: verdict?.failing?.failures ?? [],
    lastRun: latest === undefined ? 0 : unixSeconds(latest.at),
    lastChange: verdict === undefined ? 0 : unixSeconds(verdict.since),
    response: (latest && writtenResponse(latest.whole)) ?? noResponse,
    requestUrl: isUrl(url, project.settings.url) ? new URL(url, project.settings.url).href : url,
  };
}
