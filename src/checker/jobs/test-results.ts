import { Injectable } from '@nestjs/common';
import { keptResponse, writtenResponse } from '../../platform/observations/runs/run-response.ts';
import { type CheckOfRun, RunStore, type WholeRun } from '../../platform/observations/runs/run-store.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { CorrectionReader } from '../corrections/correction.reader.ts';
import { presentCorrectedVerdict } from '../corrections/correction.presenter.ts';
import { unixSeconds } from '../../platform/http/presentation/answers.ts';
import { ListPage, type ListRequest } from '../../platform/http/lists/list.ts';
import { Confirmations } from './confirmations.ts';
import { readFromTo } from '../../platform/http/spans/instant-input.ts';
import type { TestRunAnswer } from './job.api.ts';
import { numberAt } from '../../platform/http/lists/cursor.ts';
import { HOUR_MS } from '../../kernel/time.ts';

type Stored = Awaited<ReturnType<RunStore['between']>>[number];

const DEFAULT_LIMIT = 100;
/** Spans grow until the page is full, so that a test that seldom runs needs few queries. */
const FIRST_SPAN = 6 * HOUR_MS;
const MAX_SPAN = 32 * 24 * HOUR_MS;

/** The results of a test, the newest first. The whole response is stored with the newest run and those of jobs (docs/decisions/jobs.md). */
@Injectable()
export class TestResults {
  constructor(
    private readonly runs: RunStore,
    private readonly confirmations: Confirmations,
    private readonly corrections: CorrectionReader,
  ) {}

  async page(projectId: string, check: CheckRow, query: ResultsQuery): Promise<ListPage> {
    const { limit } = query;
    const found = await this.newest(projectId, check.id, query);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const confirmed = await this.confirmations.read(projectId, page, query.recordedUntil);
    const whole = await this.whole({ projectId, checkId: check.id }, page);
    const corrected = await this.corrections.correctedAt(projectId, page);
    const results = page.map((run) => ({
      ...present(run, check, whole.get(run.at), confirmed(run)),
      ...presentCorrectedVerdict(corrected(run)),
    }));
    return new ListPage({ results }, found.length > limit && last !== undefined ? { value: last.at, key: check.id } : null);
  }

  /** By instant. */
  private async whole(check: CheckOfRun, page: readonly Stored[]): Promise<ReadonlyMap<number, WholeRun>> {
    const jobs = [...new Set(page.flatMap(({ jobId }) => (jobId === null ? [] : [jobId])))];
    const [latest, ofJobs] = await Promise.all([this.runs.latest([check]), this.runs.inJobs(check, jobs)]);
    return new Map([...latest.values(), ...ofJobs].map((run) => [run.at, run]));
  }

  /** One more than a page, which shows whether another follows. */
  private async newest(
    projectId: string,
    checkId: string,
    { from, to, limit, status, recordedUntil }: ResultsQuery,
  ): Promise<readonly Stored[]> {
    const wanted = limit + 1;
    const found: Stored[] = [];
    for (let until = to, span = FIRST_SPAN; until > from && found.length < wanted; span = Math.min(MAX_SPAN, span * 4)) {
      const since = Math.max(from, until - span);
      const runs = await this.runs.between(projectId, since, until, checkId, recordedUntil);
      found.push(...runs.filter(({ outcome }) => status === null || outcome === status).reverse());
      until = since;
    }
    return found.slice(0, wanted);
  }
}

function present(run: Stored, check: CheckRow, whole: WholeRun | undefined, confirmed: boolean): TestRunAnswer {
  const { at, outcome, failures, httpStatus, total, size, page, jobId, confirming } = run;
  return {
    testId: check.id,
    testName: check.settings.name,
    areaId: check.areaId,
    at: new Date(at).toISOString(),
    startedAt: unixSeconds(at),
    duration: total / 1000,
    status: outcome,
    failures,
    confirmed,
    confirming,
    jobId,
    httpStatus: httpStatus === 0 ? '' : String(httpStatus),
    size,
    page,
    response: (whole && writtenResponse(whole.whole)) ?? keptResponse(run),
  };
}

export interface ResultsQuery {
  /** Milliseconds, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly limit: number;
  /** Null for all. */
  readonly status: string | null;
  /** As of an instant: later runs do not count. Undefined: all count. */
  readonly recordedUntil?: number | undefined;
}

type Given = Readonly<Record<string, unknown>>;

/** Without bounds: everything that is stored. A cursor holds the instant before which the next page begins. */
export function readResultsQuery(given: Given, { limit, after, status }: ListRequest, now: number, retentionMs: number): ResultsQuery {
  const { from, to } = readFromTo(given);
  return {
    from: Math.max(from?.at ?? -Infinity, now - retentionMs),
    to: Math.min(to?.at ?? now + 1, numberAt(after) ?? Infinity),
    limit: limit ?? DEFAULT_LIMIT,
    status,
  };
}
