import type { Readable } from 'node:stream';
import type { HeaderLine, ExchangeFailure } from './outcome.ts';
import { failed } from './failure-reasons.ts';

/** Status line and headers of an answer; its body is still to be read from `source`. */
export interface ResponseHead {
  readonly kind: 'head';
  readonly httpVersion: '1.0' | '1.1' | '2';
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderLine[];
  readonly source: Readable;
  /** Whether the body arrived in full; valid after `source` has ended. */
  readonly isComplete: () => boolean;
}

export type HeadOrFailure = ResponseHead | ExchangeFailure;

export const MAX_HEAD = 16 * 1024;
export const MAX_HEADER_LINES = 100;
/** Interim answers (1xx) cost the server nothing, and this process a parse each. */
export const MAX_INTERIM = 20;
export const ENDLESS_INTERIM = failed('protocol', 'the server sends interim answers without end');

export const headerOf = (headers: readonly HeaderLine[], name: string): string | undefined => headersOf(headers, name)[0];

export const headersOf = (headers: readonly HeaderLine[], name: string): string[] =>
  headers.filter(([key]) => key.length === name.length && key.toLowerCase() === name).map(([, value]) => value);

/** Node decodes header bytes as Latin-1; valid UTF-8 is decoded as such. */
function headerText(value: string): string {
  for (let i = 0; i < value.length; i++) {
    if (value.charCodeAt(i) < 0x80) continue;
    const text = Buffer.from(value, 'latin1').toString('utf8');
    return text.includes('\ufffd') ? value : text;
  }
  return value;
}

export function headerLines(raw: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) lines.push([raw[i] ?? '', headerText(raw[i + 1] ?? '')]);
  return lines;
}
