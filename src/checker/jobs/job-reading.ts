import { Injectable } from '@nestjs/common';
import { RunStore } from '../../platform/observations/runs/run-store.ts';
import { CorrectionReader } from '../corrections/correction.reader.ts';
import { type JobRow, jobView } from './job.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { presentCorrectedVerdict } from '../corrections/correction.presenter.ts';
import { Forbidden } from '../../platform/http/errors/refusals.ts';
import { unixSeconds } from '../../platform/http/presentation/answers.ts';
import { Confirmations } from './confirmations.ts';
import { ListPage, type ListRequest, readSort } from '../../platform/http/lists/list.ts';
import { pageOfView } from '../../platform/read-models/views/view-page.ts';
import type { JobAnswer } from './job.api.ts';
import { projectStream } from '../../kernel/stream-names.ts';

export interface JobResults {
  readonly jobId: string;
  readonly total: number;
  readonly failed: number;
  readonly processed: boolean;
  /** Abandoned without progress. */
  readonly givenUp: boolean;
  readonly persist: boolean;
  readonly startedAt: number;
  readonly duration: number;
  readonly mode: number;
  readonly areas: readonly string[];
  readonly results: readonly object[];
}

/** The results of a job so far (docs/spec/interface.md#job-results). */
@Injectable()
export class JobReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly runs: RunStore,
    private readonly confirmations: Confirmations,
    private readonly corrections: CorrectionReader,
  ) {}

  /** An unknown job, and one of another project, are 403 (docs/spec/decisions.md#J2). */
  async row(projectId: string, jobId: string): Promise<JobRow> {
    const row = await this.views.now().get(jobView, jobId);
    if (row?.request.projectId !== projectId) throw new Forbidden();
    return row;
  }

  async results(row: JobRow, now: number): Promise<JobResults> {
    const runs = await this.runs.ofJob(row.request.projectId, row.request.jobId);
    const startedAt = row.end?.startedAt ?? row.requestedAt;
    const found = runs.map(({ checkId, at, whole }) => ({ checkId, at, outcome: statusOf(whole), whole }));
    const confirmed = await this.confirmations.read(row.request.projectId, found);
    const corrected = await this.corrections.correctedAt(row.request.projectId, found);
    const results = found.map((run) => ({
      ...run.whole,
      decision: undefined,
      confirmed: confirmed(run),
      ...presentCorrectedVerdict(corrected(run)),
    }));
    return {
      jobId: row.request.jobId,
      total: row.request.checkIds.length,
      failed: row.end?.failed ?? found.filter(({ outcome }) => outcome !== 'ok').length,
      processed: row.end !== null,
      givenUp: row.end?.because === 'given up',
      persist: true,
      startedAt: unixSeconds(startedAt),
      duration: (row.end?.milliseconds ?? Math.max(0, now - Date.parse(startedAt))) / 1000,
      mode: row.request.mode,
      areas: row.request.areaIds,
      results,
    };
  }
}

/** As the checker stored it. */
const statusOf = (whole: object): string => ('status' in whole && typeof whole.status === 'string' ? whole.status : 'ok');

/** Jobs that were started by request, the newest first. */
@Injectable()
export class JobList {
  constructor(private readonly views: ViewsAt) {}

  async page(projectId: string, { limit, sort, after }: ListRequest): Promise<ListPage> {
    const order = { by: 'order', direction: readSort(sort).direction } as const;
    const { items, end } = await pageOfView(this.views.now(), jobView, { scope: projectStream(projectId), order }, limit, after);
    return new ListPage({ jobs: items.map(({ row }) => presentJob(row)) }, end);
  }
}

const presentJob = ({ request, requestedAt, end }: JobRow): JobAnswer => ({
  jobId: request.jobId,
  total: request.checkIds.length,
  failed: end?.failed ?? 0,
  processed: end !== null,
  givenUp: end?.because === 'given up',
  persist: true,
  startedAt: unixSeconds(end?.startedAt ?? requestedAt),
  duration: (end?.milliseconds ?? 0) / 1000,
  mode: request.mode,
  areas: request.areaIds,
});
