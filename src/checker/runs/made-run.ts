import { createHash } from 'node:crypto';
import type { Failing } from '../../domain/verdict/verdict.events.ts';
import type { MadeRun } from '../../observations/runs/run-store.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import { responseOf } from './response.ts';

export interface RunFacts {
  readonly check: CheckRow;
  readonly outcome: FetchOutcome;
  readonly failing: Failing | null;
  readonly at: number;
  readonly milliseconds: number;
  readonly jobId: string | null;
  readonly confirming: boolean;
  readonly url: string;
}

/** The observation of a run; `whole` is its entry in the results (docs/spec/decisions.md#J6), kept as it is written here. */
export function madeRun({ check, outcome, failing, at, milliseconds, jobId, confirming, url }: RunFacts): MadeRun {
  const { phases } = outcome;
  const status = failing?.status ?? 'ok';
  return {
    at,
    checkId: check.id,
    outcome: status,
    confirming,
    jobId,
    httpStatus: outcome.kind === 'answered' ? outcome.status : 0,
    failures: failing?.failures ?? [],
    dns: phases.dns,
    connect: phases.connect,
    tls: phases.tls,
    request: phases.request,
    waiting: phases.wait,
    download: phases.download,
    total: phases.total,
    size: outcome.kind === 'answered' ? outcome.body.length : 0,
    page: outcome.kind === 'answered' ? createHash('sha256').update(outcome.body).digest('hex') : null,
    latest: true,
    whole: {
      areaId: check.areaId,
      testId: check.id,
      testName: check.settings.name,
      status,
      failures: failing?.failures ?? [],
      rules: check.settings.rules,
      response: responseOf(outcome),
      request: { url, method: 'GET' },
      startedAt: Math.floor(at / 1000),
      duration: Math.round(milliseconds) / 1000,
      confirmed: failing === null,
    },
  };
}
