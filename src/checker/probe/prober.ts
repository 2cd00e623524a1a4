import type { Guard } from '../../security/ssrf-guard/guard.ts';
import { Journey } from './journey.ts';
import { LargeBodies } from './large-bodies.ts';
import type { Outcome } from './outcome.ts';
import type { ProbeRequest } from './probe-request.ts';
import type { ProbeTools } from './probe-tools.ts';
import { trustStore } from './tls-handshake.ts';

export interface ProberOptions {
  readonly guard: Guard;
  /** PEM, beside the roots that come with node. Operators use NODE_EXTRA_CA_CERTS, which node reads by itself. */
  readonly extraRoots?: readonly string[];
  readonly largeBodies?: LargeBodies;
}

/** One engine for checks, uptime, certificates, redirects and forms. Never rejects: what happened is the outcome. */
export class Prober {
  private readonly tools: ProbeTools;

  constructor({ guard, extraRoots = [], largeBodies = new LargeBodies() }: ProberOptions) {
    this.tools = { guard, trust: trustStore(extraRoots), largeBodies };
  }

  fetch(request: ProbeRequest): Promise<Outcome> {
    return new Journey(request, this.tools).run();
  }
}
