import type { Clock } from '../../kernel/clock.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { ProbeTools } from './hop.ts';
import { Journey } from './journey.ts';
import type { FetchOutcome } from './outcome.ts';
import type { ProbeRequest } from './probe-request.ts';
import { trustStore } from './tls-handshake.ts';
import { TlsSessions } from './tls-sessions.ts';

export interface ProberOptions {
  readonly guard: SsrfGuard;
  /** PEM, added to the roots that come with Node. Operators use NODE_EXTRA_CA_CERTS, which Node reads by itself. */
  readonly extraRoots?: readonly string[];
  readonly largeBodies?: ConcurrencyLimit;
  /** For the age of TLS sessions. */
  readonly clock?: Clock;
}

const MAX_LARGE_BODIES = 12;
/** Each of the waiting bodies holds as much memory as a small one. */
const MAX_WAITING_LARGE_BODIES = 128;

/** Bounds the memory that large bodies take together, in equal shares for accounts: a body that arrives slowly holds its permit until the deadline. */
export const largeBodyLimit = (): ConcurrencyLimit =>
  new ConcurrencyLimit(MAX_LARGE_BODIES, { maxQueue: MAX_WAITING_LARGE_BODIES, shares: 'permits and queue' });

/** The one HTTP client for checks, uptime, certificates, redirects and forms. Never rejects: every failure is an outcome. */
export class Prober {
  private readonly tools: ProbeTools;

  constructor({ guard, extraRoots = [], largeBodies = largeBodyLimit(), clock }: ProberOptions) {
    this.tools = { guard, trust: trustStore(extraRoots), largeBodies, sessions: new TlsSessions(clock) };
  }

  fetch(request: ProbeRequest): Promise<FetchOutcome> {
    return new Journey(request, this.tools).run();
  }
}
