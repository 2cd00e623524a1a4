import { formatEvidenceFile } from '../../src/checker/evidence/evidence-file.ts';
import { exchangeOf, packExchange, jobOfExchange } from '../../src/checker/evidence/exchange-of.ts';
import { judgePage } from '../../src/checker/judging/judge-page.ts';
import type { Judge } from '../../src/checker/judging/judge.ts';
import type { JudgeJob, RuleFailure } from '../../src/checker/judging/judge-job.ts';
import { locateRules } from '../../src/checker/locating/locate-rules.ts';
import { NO_PHASES } from '../../src/checker/probe/outcome.ts';
import type { RuleCondition } from '../../src/checker/rules/rule.ts';
import { nameOfRule } from '../../src/checker/runs/run-request.ts';
import { formatTlogProof } from '../../src/client/proofs/tlog-proof.ts';
import { leafOf } from '../../src/client/proofs/leaf.ts';
import { hashToText } from '../../src/client/proofs/merkle-tree.ts';
import type { LogEvent } from '../../src/kernel/event.ts';
import type { Exchange } from '../../src/platform/observations/exchanges/exchange.ts';
import { ANSWERED } from './probe-outcomes.ts';
import { sampleEvents, sealed } from './sealed-log.ts';

const PROJECT = 'aaaaaaaaaaaaaaaaaaaaaaaa';
const AT = 5;

function failuresOf(job: JudgeJob): readonly RuleFailure[] {
  const failures: RuleFailure[] = [];
  judgePage(job, (event) => {
    if (event.kind === 'ruleFailed') failures.push(event.failure);
  });
  return failures;
}

/** The code that judges, on this thread; without XPath. */
export const judgeHere: Pick<Judge, 'judge' | 'locate'> = {
  judge: (job) => Promise.resolve({ kind: 'judged', failures: failuresOf(job) }),
  locate: (job) => Promise.resolve({ kind: 'located', ranges: locateRules(job) }),
};

export interface EvidenceWorldOptions {
  readonly page: string;
  readonly rules: readonly RuleCondition[];
  /** What the exchange and the event state instead of what is found. */
  readonly sentence?: (found: string) => string;
  readonly exchange?: (found: Exchange) => unknown;
  readonly event?: (found: LogEvent) => LogEvent;
  /** Events that follow in the log. */
  readonly later?: number;
}

/** The evidence file of a check that failed, as the service answers it, under the key of the sealed log. */
export async function evidenceFile(options: EvidenceWorldOptions): Promise<string> {
  const { page, rules, sentence = (found) => found, exchange: edit = (found) => found, event: editEvent = (found) => found } = options;
  const body = Buffer.from(page);
  const headers = [['content-type', 'text/html; charset=utf-8']] as const;
  const judged = { type: 'simple', method: 'GET', defaultErrors: false, rules: rules.map((rule) => ({ owner: 'own' as const, ...rule })) };
  const journey = { url: 'https://site.example/', hops: [], phases: NO_PHASES, certificate: null, address: '192.0.2.1', sent: null };
  const outcome = { ...journey, ...ANSWERED, headers, body, size: body.length };
  const facts = { kind: 'check', checkId: 'c', at: 0, location: 'eu', outcome } as const;
  const job = jobOfExchange(exchangeOf({ ...facts, judged: { ...judged, failures: [] } }), body);
  if (job === null) throw new Error('expected something to judge');
  const failures = failuresOf(job).map((one) => ({ ...one, sentence: sentence(one.sentence) }));
  // Also one that the service would not write.
  const exchange = edit(exchangeOf({ ...facts, judged: { ...judged, failures } })) as Exchange;
  const names = failures.map(({ rule }) => nameOfRule(judged.rules[rule ?? 0] ?? { owner: 'own', type: '', op: '', val: '' }));
  const failing = { status: 'error', rules: [...new Set(names)].sort(), failures: failures.map((one) => one.sentence) };
  const events = sampleEvents(AT + 2 + (options.later ?? 0)).map((event) => {
    if (event.n !== AT) return event;
    const data = { checkId: 'c', since: event.recordedAt, failing, evidence: { exchange: packExchange(exchange).sha256 } };
    return editEvent({ ...event, type: 'CheckFailed', scope: `project-${PROJECT}`, data });
  });
  const { tree, checkpoint } = sealed(events);
  const [event] = events.slice(AT);
  if (event === undefined) throw new Error('expected an event');
  const path = (await tree.inclusion(AT, events.length)).map(hashToText);
  const proof = formatTlogProof({ index: AT, leaf: leafOf(event), path, checkpoint: checkpoint.note });
  return formatEvidenceFile({ project: PROJECT, proof, exchange, page: body.toString('base64'), bytes: locateRules(job) });
}
