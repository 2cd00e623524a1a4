import { LOOK_BACK } from '../../checker/instability.ts';
import type { ProbeOutcome } from '../../platform/observations/samples/probe-outcome.ts';
import { reaches } from '../../platform/observations/samples/sample.ts';
import type { Evidence } from './uptime.events.ts';

export interface AcceptedProbe {
  readonly at: number;
  readonly outcome: ProbeOutcome;
  readonly periodSeconds: number;
  readonly evidence: Evidence;
}

/**
 * The accepted probes that a decision depends on. Events alone do not contain them, so a new owner folds the stored samples of the last two hours
 * again (`observe`) before it decides.
 */
export interface RecentProbes {
  readonly previous: AcceptedProbe | null;
  /** The previous probe failed, and the one before it had not: nothing has confirmed it yet. */
  readonly open: boolean;
  /** When the failures were that no second probe confirmed. */
  readonly unconfirmed: readonly number[];
}

export const noRecentProbes: RecentProbes = { previous: null, open: false, unconfirmed: [] };

export function observe(recent: RecentProbes, probe: AcceptedProbe): RecentProbes {
  const failing = probe.outcome !== 'up';
  const confirmed = failing && confirms(recent, probe);
  const { previous } = recent;
  const unconfirmed = recent.unconfirmed.filter((at) => at > probe.at - LOOK_BACK);
  if (recent.open && !confirmed && previous !== null) unconfirmed.push(previous.at);
  return { previous: probe, open: failing && !confirmed, unconfirmed };
}

/** The previous probe failed too, recently enough for both to belong to one failure. */
export const confirms = ({ previous }: RecentProbes, probe: { readonly at: number }): boolean =>
  previous !== null && previous.outcome !== 'up' && reaches(previous, probe);
