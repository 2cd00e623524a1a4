import type { CheckType } from '../../projects/checks/check.settings.ts';
import type { Exchange } from '../../platform/observations/exchanges/exchange.ts';
import type { JudgeJob } from '../judging/judge-job.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import type { RuleCondition } from '../rules/rule.ts';

/** What was judged, as far as the exchange has it: headers with secrets are missing, or without them. Null where nothing was judged. */
export function jobOfExchange({ answer, judged, redirects, certificate, timings, at }: Exchange, body: Uint8Array): JudgeJob | null {
  if (answer === null || judged === null) return null;
  const last = redirects.at(-1);
  const { url, httpVersion, status, statusText, cut } = answer;
  const { type, method, defaultErrors, endExpected = false, rules } = judged;
  const stored = {
    url,
    httpVersion,
    status,
    statusText,
    cut,
    body,
    certificate,
    timing: timings,
    at: Date.parse(at),
    redirects: redirects.length,
    headers: answer.headers.filter((line): line is HeaderLine => line[1] !== null),
    redirectedBy: last === undefined ? null : { location: last.location, to: last.to },
    ...(method === 'GET' ? {} : { method }),
  };
  // Rules and type were validated when they were saved.
  return { answer: stored, rules: rules as readonly RuleCondition[], type: type as CheckType, defaultErrors, endExpected };
}
