import type { Exchange, ShownHeader } from '../../platform/observations/exchanges/exchange.ts';
import type { ByteRange } from '../locating/located-page.ts';
import type { EvidenceAnswer } from './evidence.api.ts';
import { charsetOf } from '../page/charset.ts';

/** Each rule with its result and its place on the page. */
export const presentJudgedRules = (judged: Exchange['judged'], ranges: readonly (ByteRange | null)[]): EvidenceAnswer['rules'] =>
  judged === null ? [] : judged.rules.map((rule, index) => ({ ...rule, ...resultOf(judged, index), bytes: ranges[index] ?? null }));

function resultOf({ failures }: NonNullable<Exchange['judged']>, index: number) {
  const sentences = failures.flatMap(({ rule, sentence }) => (rule === index ? [sentence] : []));
  return { result: sentences.length === 0 ? ('passed' as const) : ('failed' as const), sentence: sentences[0] ?? null };
}

export const contentTypeOf = (headers: readonly ShownHeader[] = []): string =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

/** The charset in which the page was judged. */
export const charsetIn = (bytes: Uint8Array, { answer }: Exchange): string =>
  charsetOf(bytes, contentTypeOf(answer?.headers), answer?.cut ?? false);
