import { createHash } from 'node:crypto';
import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import type { Exchange, ExchangeAnswer, JudgedBy, ShownHeader } from '../../platform/observations/exchanges/exchange.ts';
import { exchangeHash, type PackedExchange } from '../../platform/observations/exchanges/exchange-store.ts';
import type { Answered, ConclusiveOutcome, SentRequest, HeaderLine } from '../probe/outcome.ts';
import { hiddenHeader, secretsOfRequest, withoutSecretText } from './hidden-headers.ts';
import type { CheckType } from '../../projects/checks/check.settings.ts';
import type { JudgeJob } from '../judging/judge-job.ts';
import type { RuleCondition } from '../rules/rule.ts';

export interface ExchangeFacts {
  readonly kind: Exchange['kind'];
  readonly checkId: string | null;
  readonly at: number;
  readonly location: string;
  readonly outcome: ConclusiveOutcome;
  readonly judged: JudgedBy | null;
}

/** The exchange of a fetch as it is kept: secrets that were sent, and cookies that were set, are left out. */
export function exchangeOf({ kind, checkId, at, location, outcome, judged }: ExchangeFacts): Exchange {
  const { hops, phases, certificate, sent = null } = outcome;
  const secrets = secretsOfRequest(sent);
  const shown = (text: string): string => withoutSecretText(text, secrets);
  return {
    kind,
    checkId,
    at: new Date(at).toISOString(),
    location,
    request: sent === null ? null : requestOf(sent),
    // The address of an inner host is not shown (docs/security.md, Outgoing connections).
    address: outcome.kind === 'failed' && outcome.code === 'target' ? null : outcome.address,
    outcome: outcome.kind,
    reason: outcome.kind === 'answered' ? null : shown(outcome.reason),
    answer: outcome.kind === 'answered' ? answerOf(outcome, secrets) : null,
    redirects: hops.map((hop) => ({
      url: shown(hop.url),
      status: hop.status,
      location: shown(hop.location),
      to: shown(hop.to),
      milliseconds: hop.phases.total,
    })),
    timings: { ...phases },
    certificate:
      certificate === null
        ? null
        : { issuer: certificate.issuer, names: certificate.names, validTo: certificate.validTo, key: certificate.key },
    judged,
  };
}

/** Texts may hold lone surrogates, which RFC 8785 refuses. */
export function packExchange(exchange: Exchange): PackedExchange {
  const json = canonicalJson(exchange, { loneSurrogates: 'escape' });
  return { json, sha256: exchangeHash(json) };
}

const requestOf = ({ method, url, headers, bodyBytes, secret }: SentRequest): Exchange['request'] => ({
  method,
  url,
  bodyBytes,
  headers: headers.map(([name, value]): ShownHeader => [name, secret.has(name.toLowerCase()) ? null : value]),
});

function answerOf(outcome: Answered, secrets: readonly string[]): ExchangeAnswer {
  const { url, httpVersion, status, statusText, headers, body, size, cut } = outcome;
  return {
    url: withoutSecretText(url, secrets),
    httpVersion,
    status,
    statusText,
    cut,
    headers: headers.map((line) => hiddenHeader(line, secrets)),
    size: body.length,
    transferred: size,
    page: createHash('sha256').update(body).digest('hex'),
  };
}

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
