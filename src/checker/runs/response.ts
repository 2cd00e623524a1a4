import { type RunResponse, timingOf } from '../../observations/runs/run-response.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import { headerBlock, headerValue, storedAnswer } from '../rules/stored-answer.ts';

export function responseOf(outcome: FetchOutcome): RunResponse {
  const { url, hops, phases } = outcome;
  const answer = outcome.kind === 'answered' ? storedAnswer(outcome) : null;
  return {
    status: outcome.kind === 'answered' ? 'ok' : outcome.kind === 'timedOut' ? 'timeout' : 'error',
    httpStatus: answer === null ? '' : String(answer.status),
    baseUrl: url,
    contentType: answer === null ? '' : (headerValue(answer, 'content-type') ?? ''),
    httpHeader: answer === null ? '' : headerBlock(answer),
    processTime: Math.round(phases.total) / 1000,
    size: outcome.kind === 'answered' ? outcome.body.length : false,
    redirects: hops.map(({ to }) => to),
    timing: timingOf({ ...phases, waiting: phases.wait }),
  };
}
