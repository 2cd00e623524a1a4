import { type AcceptedProbe, confirms, observe, type RecentProbes } from './recent-probes.ts';
import type { Failing } from './probe-outcome.ts';
import { type Uptime, uptime, type UptimeEvent } from './uptime.ts';

/** More than this many unconfirmed failures an hour are counted instead of listed (docs/spec/decisions.md#J11). */
export const LISTED_AN_HOUR = 6;
const HOUR = 3600_000;

export interface ProbeOrigin {
  readonly projectId: string;
  /** A second look at a suspicion, out of turn. */
  readonly confirming: boolean;
}

/** What one accepted probe changes; `recent` are the accepted probes before it. Most probes change nothing. */
export function recordProbe(state: Uptime, recent: RecentProbes, probe: AcceptedProbe, origin: ProbeOrigin): readonly UptimeEvent[] {
  const verdict = probe.outcome === 'up' ? answered(state, probe) : failed(state, recent, probe, probe.outcome);
  const events = [...verdict, ...instability(state, observe(recent, probe), probe)];
  return events.length === 0 ? [] : [started(probe, origin), ...events];
}

/**
 * The same for several in order. `catchingUp`: they may have been decided before, as a new owner finds them; after a crash between accepting and deciding
 * exactly what is missing is made up.
 */
export function recordProbes(
  state: Uptime,
  before: RecentProbes,
  probes: readonly AcceptedProbe[],
  origin: ProbeOrigin,
  catchingUp = false,
): readonly UptimeEvent[] {
  const events: UptimeEvent[] = [];
  const decidedUntil = !catchingUp || state.decidedUntil === null ? -Infinity : Date.parse(state.decidedUntil);
  let [now, recent] = [state, before];
  for (const probe of probes) {
    const decided = probe.at > decidedUntil ? recordProbe(now, recent, probe, origin) : [];
    events.push(...decided);
    now = decided.reduce(uptime.evolve, now);
    recent = observe(recent, probe);
  }
  return events;
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

function failed(state: Uptime, recent: RecentProbes, probe: AcceptedProbe, outcome: Failing): readonly UptimeEvent[] {
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

function instability({ instability: open }: Uptime, recent: RecentProbes, probe: AcceptedProbe): readonly UptimeEvent[] {
  const now = probe.evidence.at;
  const lastHour = recent.unconfirmed.filter((at) => at > probe.at - HOUR).length;
  if (open === null)
    return lastHour > LISTED_AN_HOUR ? [{ type: 'UptimeInstabilityOpened', data: { since: now, unconfirmed: lastHour } }] : [];
  const countedUntil = Date.parse(open.countedUntil);
  // Whether it has to be counted is known with the next probe.
  if (probe.at - countedUntil < HOUR || recent.open) return [];
  const unconfirmed = recent.unconfirmed.filter((at) => at >= countedUntil).length;
  return lastHour > LISTED_AN_HOUR
    ? [{ type: 'UptimeInstabilityCounted', data: { from: open.countedUntil, to: now, unconfirmed } }]
    : [{ type: 'UptimeInstabilityClosed', data: { since: open.since, until: now, unconfirmed: open.counted + unconfirmed } }];
}
