import { isSameSite } from '../../kernel/url.ts';

/** Extra headers as they are sealed: a line with the origin that they were given for, then one header a line. */
export interface BoundHeaders {
  readonly origin: string;
  readonly lines: string;
}

/** No name of a header begins with it. */
const ORIGIN = '@';

export const bindHeaders = ({ origin, lines }: BoundHeaders): string => `${ORIGIN}${origin}\n${lines}`;

/** Headers that were saved without an origin belong to the site of the project. */
export function readBoundHeaders(text: string, projectUrl: string): BoundHeaders {
  if (!text.startsWith(ORIGIN)) return { origin: projectUrl, lines: text };
  const end = text.indexOf('\n');
  return { origin: text.slice(ORIGIN.length, end), lines: text.slice(end + 1) };
}

/** Extra headers are secrets: requests to any other site go without them. */
export const headersFor = (url: string, { origin, lines }: BoundHeaders): string => (isSameSite(origin, url) ? lines : '');
