import type { Readable } from 'node:stream';
import type { HeaderLine, Trouble } from './outcome.ts';
import { failed } from './trouble.ts';

/** The head of an answer; its body waits in `source`. */
export interface Head {
  readonly kind: 'head';
  readonly httpVersion: '1.0' | '1.1' | '2';
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderLine[];
  readonly source: Readable;
  /** Asked when the source has ended: was that all of it? */
  readonly isComplete: () => boolean;
}

export type HeadOrTrouble = Head | Trouble;

export const LARGEST_HEAD = 16 * 1024;
export const MOST_HEADER_LINES = 100;
/** Interim answers (1xx) cost the server nothing and us a parse each. */
export const MOST_INTERIM = 20;
export const ENDLESS_INTERIM = failed('protocol', 'the server sends interim answers without end');

export const headerOf = (headers: readonly HeaderLine[], name: string): string | undefined => headersOf(headers, name)[0];

export const headersOf = (headers: readonly HeaderLine[], name: string): string[] =>
  headers.filter(([key]) => key.length === name.length && key.toLowerCase() === name).map(([, value]) => value);

/** Node hands bytes over as Latin-1; who means UTF-8 gets it. */
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
