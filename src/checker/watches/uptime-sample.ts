import { classify } from '../../domain/uptime/probe-outcome.ts';
import type { AcceptedProbe } from '../../domain/uptime/recent-probes.ts';
import type { Sample } from '../../observations/samples/sample.ts';
import type { FetchOutcome } from '../probe/outcome.ts';

export interface ProbeMade {
  readonly at: number;
  readonly url: string;
  readonly location: string;
  readonly periodSeconds: number;
  readonly outcome: Exclude<FetchOutcome, { readonly kind: 'inconclusive' }>;
}

/** What is kept of a probe, and what is decided from. */
export function sampleOf({ at, url, location, periodSeconds, outcome }: ProbeMade): {
  readonly sample: Sample;
  readonly probe: AcceptedProbe;
} {
  const classified = classify(outcome.kind === 'answered' ? outcome : { kind: outcome.kind, reason: outcome.reason });
  const { dns, connect, tls, request, wait, download, total } = outcome.phases;
  const sample: Sample = {
    at,
    outcome: classified.outcome,
    periodSeconds,
    httpStatus: classified.httpStatus ?? 0,
    reason: classified.reason,
    ...{ dns, connect, tls, request, waiting: wait, download, total },
  };
  const evidence = { url, at: new Date(at).toISOString(), location, ...classified, milliseconds: Math.round(total) };
  return { sample, probe: { at, outcome: classified.outcome, periodSeconds, evidence } };
}
