import { Injectable } from '@nestjs/common';
import { keptResponse, noResponse, writtenResponse } from '../../platform/observations/runs/run-response.ts';
import { awaitsVerdict, decidingRun, type DecidingRun } from '../verdicts/stored-decision.ts';
import { RunStore, type WholeRun } from '../../platform/observations/runs/run-store.ts';
import type { View } from '../../platform/read-models/authoring/define-view.ts';
import { type CheckRow, checkView } from '../../projects/checks/check.view.ts';
import { type JobRow, jobView } from '../jobs/job.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import { type VerdictRow, verdictView } from '../verdicts/verdict.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import { currentAsOf } from '../../platform/http/as-of/as-of.ts';
import { unixSeconds } from '../../platform/http/presentation/answers.ts';
import type { CheckFacts, CheckFindings, KnownChecks } from '../../projects/checks/check.presenter.ts';
import { isUrl } from '../../kernel/url.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** Checks with what the read models hold of them. */
export interface JudgedChecks extends KnownChecks {
  readonly verdicts: ReadonlyMap<string, VerdictRow>;
  readonly openJobs: readonly JobRow[];
}

/** Reads what the read models hold of checks, and adds what was measured. */
@Injectable()
export class CheckFactsReader implements CheckFindings {
  constructor(private readonly runs: RunStore) {}

  prefetch(views: Views, projectId: string, ...more: readonly View[]): void {
    views.prefetch(projectStream(projectId), [checkView, verdictView, jobView, ...more]);
  }

  async known(views: Views, projectId: string, rows: readonly CheckRow[]): Promise<JudgedChecks> {
    const ids = rows.map(({ id }) => id);
    const [verdicts, jobs] = await Promise.all([
      views.many(verdictView, ids),
      views.list(jobView, { scope: projectStream(projectId), where: { open: { eq: projectId } } }),
    ]);
    return { rows, verdicts, openJobs: jobs.map(({ row }) => row) };
  }

  async withRuns(project: ProjectRow, known: JudgedChecks): Promise<ReadonlyMap<string, CheckFacts>> {
    const [{ shown, undecided }, results] = await Promise.all([this.lastRuns(project.id, known), this.resultsOf(known.openJobs)]);
    const running = new Set<string>();
    for (const { request, done } of results) for (const id of request.checkIds) if (!done.has(id) || undecided.has(id)) running.add(id);
    return new Map(
      known.rows.map((row) => [row.id, factsOf(row, project, known.verdicts.get(row.id), shown.get(row.id), running.has(row.id))]),
    );
  }

  /**
   * A run is stored before the event that it leads to is in the read model. Until then the run before it is shown, with as much of its response as is kept,
   * so that all fields belong to one moment (docs/spec/decisions.md#T21).
   */
  private async lastRuns(projectId: string, { rows, verdicts }: JudgedChecks): Promise<LastRuns> {
    const at = currentAsOf()?.at;
    const ids = rows.map(({ id }) => id);
    const newest = await this.runs.latest(ids.map((checkId) => ({ projectId, checkId })));
    const packed = at === undefined ? null : await this.runs.lastOf(projectId, ids, at);
    const shown = new Map(packed === null ? newest : await this.wholeRuns(projectId, packed, newest));
    // The status of a disabled check does not depend on its runs.
    const waiting = rows.flatMap(({ id, settings }) => {
      const run = decidingRunOf(shown.get(id), packed?.get(id));
      return run !== null && settings.enabled && awaitsVerdict(run, verdicts.get(id)) ? [{ id, at: run.at }] : [];
    });
    for (const { id } of waiting) if (!verdicts.has(id)) shown.delete(id);
    const instants = new Map(waiting.flatMap((run) => (verdicts.has(run.id) ? [[run.id, run.at] as const] : [])));
    const before = await this.wholeRuns(projectId, await this.runs.lastBefore(projectId, instants, at), new Map());
    for (const [id, run] of before) shown.set(id, run);
    return { shown, undecided: new Set(waiting.map(({ id }) => id)) };
  }

  /** Packed runs give time and outcome; the whole response is stored only with the newest run and those of jobs. */
  private async wholeRuns(
    projectId: string,
    runs: ReadonlyMap<string, PackedRun>,
    newest: ReadonlyMap<string, WholeRun>,
  ): Promise<ReadonlyMap<string, WholeRun>> {
    const jobs = new Set([...runs.values()].flatMap(({ jobId }) => jobId ?? []));
    const ofJobs = (await Promise.all([...jobs].map((jobId) => this.runs.ofJob(projectId, jobId)))).flat();
    const whole = new Map([...ofJobs, ...newest.values()].map((run) => [`${run.checkId} ${String(run.at)}`, run]));
    return new Map(
      [...runs].map(([id, run]) => {
        const rest: WholeRun = { checkId: id, at: run.at, whole: { response: keptResponse(run) } };
        return [id, whole.get(`${id} ${String(run.at)}`) ?? rest];
      }),
    );
  }

  /** Adds to each job the checks that have a result. */
  private resultsOf(jobs: readonly JobRow[]): Promise<readonly (JobRow & { readonly done: ReadonlySet<string> })[]> {
    return Promise.all(
      jobs.map(async (job) => ({
        ...job,
        done: new Set((await this.runs.ofJob(job.request.projectId, job.request.jobId)).map(({ checkId }) => checkId)),
      })),
    );
  }
}

/** A packed run names no rules. */
const decidingRunOf = (whole: WholeRun | undefined, packed: PackedRun | undefined): DecidingRun | null =>
  (whole && decidingRun(whole)) ?? (packed === undefined ? null : { ...packed, rules: null });

type PackedRun = Parameters<typeof keptResponse>[0];

interface LastRuns {
  readonly shown: ReadonlyMap<string, WholeRun>;
  /** Checks whose newest run is not shown yet. */
  readonly undecided: ReadonlySet<string>;
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
    running,
    status: verdict?.status ?? 'unknown',
    failures: verdict?.failing?.failures ?? [],
    lastRun: latest === undefined ? 0 : unixSeconds(latest.at),
    lastChange: verdict === undefined ? 0 : unixSeconds(verdict.since),
    response: (latest && writtenResponse(latest.whole)) ?? noResponse,
    requestUrl: isUrl(url, project.settings.url) ? new URL(url, project.settings.url).href : url,
  };
}
