import type { EventChain } from '../../kernel/event.ts';
import { instabilityChange } from '../../checker/instability.ts';
import { type AcceptedProbe, confirms, observe, type RecentProbes } from './recent-probes.ts';
import type { UptimeFailure } from '../../platform/observations/samples/probe-outcome.ts';
import { type Uptime, uptime, type UptimeEvent } from './uptime.state.ts';

export interface ProbeOrigin {
  readonly projectId: string;
  /** Probed ahead of schedule, to confirm a suspicion. */
  readonly confirming: boolean;
}

/**
 * Decides on accepted probes in order; `before` are the accepted probes before them. Most probes change nothing. The result is `before` with the probes
 * added. `catchingUp`: some may be decided already, as after a crash between accepting and deciding; only those after the last decision count.
 */
export function recordProbes(
  state: Uptime,
  before: RecentProbes,
  probes: readonly AcceptedProbe[],
  origin: ProbeOrigin,
  catchingUp = false,
): { readonly events: readonly UptimeEvent[]; readonly chain: EventChain | null; readonly result: RecentProbes } {
  const events: UptimeEvent[] = [];
  const decidedUntil = !catchingUp || state.decidedUntil === null ? -Infinity : Date.parse(state.decidedUntil);
  let [now, recent] = [state, before];
  for (const probe of probes) {
    const observed = observe(recent, probe);
    const decided = probe.at > decidedUntil ? recordProbe(now, recent, observed, probe, origin) : [];
    events.push(...decided);
    now = decided.reduce(uptime.evolve, now);
    recent = observed;
  }
  // A confirming probe continues the chain of the suspicion; any other begins its own.
  return { events, chain: origin.confirming ? (state.suspicion?.chain ?? null) : null, result: recent };
}

function recordProbe(
  state: Uptime,
  recent: RecentProbes,
  observed: RecentProbes,
  probe: AcceptedProbe,
  origin: ProbeOrigin,
): readonly UptimeEvent[] {
  const verdict = probe.outcome === 'up' ? answered(state, probe) : failed(state, recent, probe, probe.outcome);
  const events = [...verdict, ...instability(state, observed, probe)];
  return events.length === 0 ? [] : [started(probe, origin), ...events];
}

function started({ evidence }: AcceptedProbe, { projectId, confirming }: ProbeOrigin): UptimeEvent {
  const { url, at, location } = evidence;
  return { type: 'ProbeStarted', data: { projectId, purpose: 'uptime', url, location, startedAt: at, confirming } };
}

function answered({ standing, suspicion }: Uptime, { evidence }: AcceptedProbe): readonly UptimeEvent[] {
  const cleared: UptimeEvent[] = suspicion === null ? [] : [clear(suspicion, 'answered', evidence)];
  switch (standing.kind) {
    case 'unknown':
      return [...cleared, { type: 'UptimeBegan', data: { since: evidence.at, evidence } }];
    case 'up':
      return cleared;
    case 'down':
      return [{ type: 'UptimeWentUp', data: { since: evidence.at, downSince: standing.since, outcome: standing.outcome, evidence } }];
  }
}

function failed(state: Uptime, recent: RecentProbes, probe: AcceptedProbe, outcome: UptimeFailure): readonly UptimeEvent[] {
  const { standing, suspicion } = state;
  const { evidence } = probe;
  const before = confirms(recent, probe) ? recent.previous : null;
  if (standing.kind === 'down') {
    if (outcome === standing.outcome || before?.outcome !== outcome) return [];
    return [{ type: 'UptimeFailureChanged', data: { since: before.evidence.at, from: standing.outcome, to: outcome, evidence } }];
  }
  if (before !== null) {
    const data = { since: before.evidence.at, outcome, before: standing.kind, first: before.evidence, evidence };
    return [{ type: 'UptimeWentDown', data }];
  }
  const stale: UptimeEvent[] = suspicion === null ? [] : [clear(suspicion, 'unanswered', evidence)];
  if (state.instability !== null) return stale;
  return [...stale, { type: 'UptimeSuspected', data: { since: evidence.at, outcome, evidence } }];
}

const clear = (
  { since, outcome }: NonNullable<Uptime['suspicion']>,
  because: 'answered' | 'unanswered',
  evidence: AcceptedProbe['evidence'],
): UptimeEvent => ({ type: 'UptimeSuspicionCleared', data: { since, outcome, because, evidence } });

function instability(state: Uptime, { unconfirmed, open }: RecentProbes, { at, evidence }: AcceptedProbe): readonly UptimeEvent[] {
  const change = instabilityChange(state.instability, { at, now: evidence.at, unconfirmed, isUndecided: open });
  switch (change?.kind) {
    case 'opened':
      return [{ type: 'UptimeInstabilityOpened', data: change.data }];
    case 'counted':
      return [{ type: 'UptimeInstabilityCounted', data: change.data }];
    case 'closed':
      return [{ type: 'UptimeInstabilityClosed', data: change.data }];
    case undefined:
      return [];
  }
}
