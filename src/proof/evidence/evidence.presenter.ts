import type { ByteRange } from '../../checker/locating/located-page.ts';
import type { Exchange, ShownHeader } from '../../platform/observations/exchanges/exchange.ts';
import type { EvidenceAnswer } from '../../checker/evidence/evidence.description.ts';
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

/** Each rule with its result and its place on the page. */
export const presentJudgedRules = (judged: Exchange['judged'], ranges: readonly (ByteRange | null)[]): EvidenceAnswer['rules'] =>
  judged === null ? [] : judged.rules.map((rule, index) => ({ ...rule, ...resultOf(judged, index), bytes: ranges[index] ?? null }));

const presentHeader = ([name, value]: ShownHeader) => ({ name, value });

function resultOf({ failures }: NonNullable<Exchange['judged']>, index: number) {
  const sentences = failures.flatMap(({ rule, sentence }) => (rule === index ? [sentence] : []));
  return { result: sentences.length === 0 ? ('passed' as const) : ('failed' as const), sentence: sentences[0] ?? null };
}
