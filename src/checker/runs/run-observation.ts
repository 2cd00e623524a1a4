import { createHash } from 'node:crypto';
import type { Failing } from '../verdicts/verdict.events.ts';
import { type RunResponse, timingOf } from '../../platform/observations/runs/run-response.ts';
import type { MadeRun } from '../../platform/observations/runs/run-store.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { HtmlEnd } from '../detectors/html-end.ts';
import { hiddenCookie } from '../evidence/hidden-headers.ts';
import type { Answered, ConclusiveOutcome } from '../probe/outcome.ts';
import { headerBlock, headerValue, type StoredAnswer } from '../rules/stored-answer.ts';

/** A fetch, with the answer (if any) in the form in which it is judged and stored. */
export type FetchedAnswer =
  | { readonly outcome: Answered; readonly answer: StoredAnswer }
  | { readonly outcome: Exclude<ConclusiveOutcome, Answered>; readonly answer: null };

interface RunFacts {
  readonly check: CheckRow;
  readonly failing: Failing | null;
  readonly at: number;
  readonly milliseconds: number;
  readonly jobId: string | null;
  readonly confirming: boolean;
  readonly url: string;
  /** The hash of the request (`requestHash`). */
  readonly requested: string;
  readonly end: HtmlEnd | null;
  readonly endExpected: boolean;
}

/** The observation of a run; `whole` is its entry in the results (docs/spec/decisions.md#J6), stored as given here. */
export function observationOf(facts: RunFacts & FetchedAnswer): MadeRun {
  const { check, outcome, answer, failing, at, milliseconds, jobId, confirming, url, requested, end, endExpected } = facts;
  const { phases } = outcome;
  const status = failing?.status ?? 'ok';
  const failures = failing?.failures ?? [];
  return {
    at,
    checkId: check.id,
    outcome: status,
    confirming,
    jobId,
    failures,
    httpStatus: answer?.status ?? 0,
    dns: phases.dns,
    connect: phases.connect,
    tls: phases.tls,
    request: phases.request,
    waiting: phases.wait,
    download: phases.download,
    total: phases.total,
    size: outcome.kind === 'answered' ? outcome.body.length : 0,
    page: answer === null ? null : createHash('sha256').update(answer.body).digest('hex'),
    ...(endExpected && { endExpected }),
    latest: true,
    requested,
    // What a failing run sent is not what the site sends when it works.
    ends: failing === null && end !== null ? end === 'closed' : null,
    whole: {
      areaId: check.areaId,
      testId: check.id,
      testName: check.settings.name,
      status,
      failures,
      rules: check.settings.rules,
      response: responseOf(facts),
      request: { url, method: check.settings.options.method ?? 'GET' },
      startedAt: Math.floor(at / 1000),
      duration: Math.round(milliseconds) / 1000,
      confirmed: failing === null,
    },
  };
}

const RESPONSE_STATUS = { answered: 'ok', timedOut: 'timeout', failed: 'error' } as const;

function responseOf({ outcome, answer }: FetchedAnswer): RunResponse {
  const { url, hops, phases } = outcome;
  return {
    status: RESPONSE_STATUS[outcome.kind],
    httpStatus: answer === null ? '' : String(answer.status),
    baseUrl: url,
    contentType: answer === null ? '' : (headerValue(answer, 'content-type') ?? ''),
    httpHeader: answer === null ? '' : headerBlock({ ...answer, headers: answer.headers.map(hiddenCookie) }),
    processTime: Math.round(phases.total) / 1000,
    size: outcome.kind === 'answered' && outcome.body.length,
    redirects: hops.map(({ to }) => to),
    timing: timingOf({ ...phases, waiting: phases.wait }),
  };
}
