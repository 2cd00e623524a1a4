import { charsetOf } from '../page/charset.ts';
import type { Exchange, ShownHeader } from '../../platform/observations/exchanges/exchange.ts';

export const contentTypeOf = (headers: readonly ShownHeader[] = []): string =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

/** The charset in which the page was judged. */
export const charsetIn = (bytes: Uint8Array, { answer }: Exchange): string =>
  charsetOf(bytes, contentTypeOf(answer?.headers), answer?.cut ?? false);
