import { same } from '../../kernel/change.ts';
import { type AcceptedRun, awaitsConfirmation, confirmsRun, observeRun, type RecentRuns } from './recent-runs.ts';
import type { Verdict, VerdictEvent } from './verdict.ts';
import type { Failing } from './verdict.events.ts';

/** More than this many unconfirmed failures an hour are counted instead of listed (docs/spec/decisions.md#J11). */
export const LISTED_AN_HOUR = 6;
const HOUR = 3600_000;

export interface RunOrigin {
  readonly projectId: string;
  readonly checkId: string;
  /** A second look at a suspicion, out of turn. */
  readonly confirming: boolean;
  /** The run belongs to a chain that began elsewhere, such as a job that somebody started: it needs no root of its own. */
  readonly chained: boolean;
}

/** What one accepted run changes; `recent` are the accepted runs before it. Most runs change nothing. */
export function recordRun(state: Verdict, recent: RecentRuns, run: AcceptedRun, origin: RunOrigin): readonly VerdictEvent[] {
  const { checkId } = origin;
  const verdict = run.failing === null ? passed(state, run, checkId) : failed(state, recent, run, run.failing, checkId);
  const events = [...verdict, ...instability(state, observeRun(recent, run), run, checkId)];
  return events.length === 0 || origin.chained ? events : [started(run, origin), ...events];
}

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

function instability({ instability: open }: Verdict, recent: RecentRuns, run: AcceptedRun, checkId: string): readonly VerdictEvent[] {
  const now = run.evidence.at;
  const lastHour = recent.unconfirmed.filter((at) => at > run.at - HOUR).length;
  const many = lastHour > LISTED_AN_HOUR;
  if (open === null) return many ? [{ type: 'CheckInstabilityOpened', data: { checkId, since: now, unconfirmed: lastHour } }] : [];
  const countedUntil = Date.parse(open.countedUntil);
  // Whether it has to be counted is known with the next run.
  if (run.at - countedUntil < HOUR || awaitsConfirmation(recent)) return [];
  const unconfirmed = recent.unconfirmed.filter((at) => at >= countedUntil).length;
  return many
    ? [{ type: 'CheckInstabilityCounted', data: { checkId, from: open.countedUntil, to: now, unconfirmed } }]
    : [{ type: 'CheckInstabilityClosed', data: { checkId, since: open.since, until: now, unconfirmed: open.counted + unconfirmed } }];
}
