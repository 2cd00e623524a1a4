import { same } from '../../kernel/change.ts';
import type { EventChain } from '../../kernel/event.ts';
import { instabilityChange } from '../instability.ts';
import { type AcceptedRun, awaitsConfirmation, confirmsRun, observeRun, type RecentRuns } from './recent-runs.ts';
import type { Verdict, VerdictEvent } from './verdict.state.ts';
import type { Failing, MissingValue } from './verdict.events.ts';

export interface RunOrigin {
  readonly projectId: string;
  readonly checkId: string;
  /** Run ahead of schedule, to confirm a suspicion. */
  readonly confirming: boolean;
  /** The run continues a chain that began elsewhere, such as with a job, so it needs no root event of its own. */
  readonly chained: boolean;
}

/**
 * Decides on an accepted run; `recent` are the accepted runs before it. Most runs change nothing. The result is `recent` with the run added. A run that may
 * confirm a suspicion continues its chain; any other begins one, or belongs to a job's.
 */
export function recordRun(
  state: Verdict,
  recent: RecentRuns,
  run: AcceptedRun,
  origin: RunOrigin,
): { readonly events: readonly VerdictEvent[]; readonly chain: EventChain | null; readonly result: RecentRuns } {
  const { checkId, confirming, chained } = origin;
  const observed = observeRun(recent, run);
  const verdict = run.failing === null ? passed(state, run, checkId) : failed(state, recent, run, run.failing, checkId);
  const events = [...resumed(state, run, checkId), ...verdict, ...instability(state, observed, run, checkId)];
  const chain = run.failing === null && !confirming ? null : (state.suspicion?.chain ?? null);
  const needsRoot = events.length > 0 && !chained && chain === null;
  return { events: needsRoot ? [started(run, origin), ...events] : events, chain, result: observed };
}

const resumed = ({ skipped }: Verdict, { evidence }: AcceptedRun, checkId: string): readonly VerdictEvent[] =>
  skipped === null ? [] : [{ type: 'CheckResumed', data: { checkId, since: evidence.at } }];

/** A check that was not run keeps its verdict: nothing is known about its page. */
export const skipRun = ({ skipped }: Verdict, checkId: string, since: string, missing: MissingValue): readonly VerdictEvent[] =>
  same(skipped, missing) ? [] : [{ type: 'CheckSkipped', data: { checkId, since, missing } }];

function started({ evidence }: AcceptedRun, { projectId, checkId, confirming }: RunOrigin): VerdictEvent {
  const { url, at, location } = evidence;
  return { type: 'RunStarted', data: { projectId, checkId, url, location, startedAt: at, confirming } };
}

function passed({ standing, suspicion }: Verdict, { evidence }: AcceptedRun, checkId: string): readonly VerdictEvent[] {
  const cleared: readonly VerdictEvent[] =
    suspicion === null
      ? []
      : [{ type: 'CheckSuspicionCleared', data: { checkId, since: suspicion.since, failing: suspicion.failing, evidence } }];
  switch (standing.kind) {
    case 'none':
      return [...cleared, { type: 'CheckPassed', data: { checkId, since: evidence.at, evidence } }];
    case 'ok':
      return cleared;
    case 'failing':
      return [
        {
          type: 'CheckRecovered',
          data: { checkId, since: evidence.at, failedSince: standing.since, failing: standing.failing, evidence },
        },
      ];
  }
}

function failed(state: Verdict, recent: RecentRuns, run: AcceptedRun, failing: Failing, checkId: string): readonly VerdictEvent[] {
  const { standing, suspicion, instability: open } = state;
  const { evidence } = run;
  if (standing.kind === 'none')
    return [{ type: 'CheckFailed', data: { checkId, since: evidence.at, failing, confirmed: false, evidence } }];
  if (standing.kind === 'failing') {
    if (sameSet(standing.failing, failing)) return [];
    return [{ type: 'CheckFailureChanged', data: { checkId, since: evidence.at, from: standing.failing, to: failing, evidence } }];
  }
  if (confirmsRun(recent, run) && recent.series !== null)
    return [{ type: 'CheckFailed', data: { checkId, since: recent.series.first.evidence.at, failing, confirmed: true, evidence } }];
  return open !== null || suspicion !== null ? [] : [{ type: 'CheckSuspected', data: { checkId, since: evidence.at, failing, evidence } }];
}

const sameSet = (a: Failing, b: Failing): boolean => a.status === b.status && same(a.rules, b.rules);

function instability(state: Verdict, recent: RecentRuns, { at, evidence }: AcceptedRun, checkId: string): readonly VerdictEvent[] {
  const isUndecided = awaitsConfirmation(recent);
  const change = instabilityChange(state.instability, { at, now: evidence.at, unconfirmed: recent.unconfirmed, isUndecided });
  switch (change?.kind) {
    case 'opened':
      return [{ type: 'CheckInstabilityOpened', data: { checkId, ...change.data } }];
    case 'counted':
      return [{ type: 'CheckInstabilityCounted', data: { checkId, ...change.data } }];
    case 'closed':
      return [{ type: 'CheckInstabilityClosed', data: { checkId, ...change.data } }];
    case undefined:
      return [];
  }
}
