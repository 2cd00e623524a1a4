import type { FastifyRequest } from 'fastify';
import type { Config } from '../../../platform/config/config.ts';
import { DomainError } from '../../../kernel/errors.ts';

/** The header of every request of the console that may change something. A page of another origin cannot set it without a preflight, which is refused. */
export const CONSOLE_HEADER = 'Watchledger-Console';

/** CSRF: a request with the session cookie may come from a page of another origin. */
export class CrossSiteRequest extends DomainError {
  readonly code = 'CROSS_SITE_REQUEST';
}

type Asked = Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>;

/** Refuses what a page of ours would not have sent (docs/spec/beyond.md#b13-console). */
export function requireOwnPage({ headers, protocol, host }: Asked, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  if (headers[CONSOLE_HEADER.toLowerCase()] !== '1')
    throw new CrossSiteRequest(`${CONSOLE_HEADER}: must be 1 in a request that may change something with a session cookie`);
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new CrossSiteRequest(`Sec-Fetch-Site: must be same-origin, found "${site.slice(0, 40)}"`);
  const { origin } = headers;
  if (origin === undefined) return;
  const own = [`${protocol}://${host}`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
  if (!own.includes(origin))
    throw new CrossSiteRequest('Origin: is not that of this service; behind a proxy set PUBLIC_URL to the address that browsers use');
}
