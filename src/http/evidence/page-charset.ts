import { charsetOf } from '../../checker/page/charset.ts';
import type { Exchange } from '../../observations/exchanges/exchange.ts';

/** The charset in which the page was judged. */
export function charsetIn(bytes: Uint8Array, { answer }: Exchange): string {
  const contentType = answer?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return charsetOf(bytes, contentType, answer?.cut ?? false);
}
