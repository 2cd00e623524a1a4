import type { ByteRange } from '../../checker/locating/located-page.ts';
import type { ShownHeader } from '../../platform/observations/exchanges/exchange.ts';
import type { EvidenceAnswer } from '../../checker/evidence/evidence.description.ts';
import { presentJudgedRules } from '../../checker/evidence/judged-rules.ts';
import type { FoundEvidence } from './evidence-reading.ts';

interface PageFindings {
  readonly isPageKept: boolean;
  /** Of each rule; empty where no page is kept. */
  readonly ranges: readonly (ByteRange | null)[];
}

/** docs/spec/beyond.md#B18. */
export function presentEvidence({ event, sha256, exchange }: FoundEvidence, { isPageKept, ranges }: PageFindings): EvidenceAnswer {
  const { request, answer, judged, ...rest } = exchange;
  return {
    event: { id: event.id, position: String(event.n), type: event.type, recordedAt: event.recordedAt },
    exchange: sha256,
    ...rest,
    request: request === null ? null : { ...request, headers: request.headers.map(presentHeader) },
    answer: answer === null ? null : { ...answer, headers: answer.headers.map(presentHeader), kept: isPageKept },
    rules: presentJudgedRules(judged, ranges),
    page: judged?.failures.flatMap(({ rule, sentence }) => (rule === null ? [sentence] : [])) ?? [],
  };
}

const presentHeader = ([name, value]: ShownHeader) => ({ name, value });
