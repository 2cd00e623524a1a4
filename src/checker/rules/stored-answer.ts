import type { Answered, HeaderLine } from '../probe/outcome.ts';

/** The part of an answer that is judged and stored, so that the same rules give the same result at any later time. */
export interface StoredAnswer {
  readonly url: string;
  readonly httpVersion: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly HeaderLine[];
  /** The last redirect that was followed: its `Location` header as sent, and resolved. */
  readonly redirectedBy: { readonly location: string; readonly to: string } | null;
  readonly body: Uint8Array;
  readonly cut: boolean;
}

export function storedAnswer({ url, httpVersion, status, statusText, headers, hops, body, cut }: Answered): StoredAnswer {
  const last = hops.at(-1);
  const redirectedBy = last === undefined ? null : { location: last.location, to: last.to };
  return { url, httpVersion, status, statusText, headers, redirectedBy, body, cut };
}

export const headerValue = (answer: Pick<StoredAnswer, 'headers'>, name: string): string | undefined =>
  answer.headers.find(([key]) => key.toLowerCase() === name)?.[1];

export const statusLine = ({ httpVersion, status, statusText }: Pick<StoredAnswer, 'httpVersion' | 'status' | 'statusText'>): string =>
  `HTTP/${httpVersion} ${String(status)} ${statusText}`.trimEnd();

/** The raw header block (docs/spec/interface.md#test-check). */
export const headerBlock = (answer: StoredAnswer): string =>
  [statusLine(answer), ...answer.headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
