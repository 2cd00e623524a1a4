import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import { chainAfter, type EventChain, type EventMeta, type EventOf } from '../../kernel/event.ts';
import { countInstability, type Instability, openedInstability } from '../instability.ts';
import type { ProbeEvents } from '../probe.events.ts';
import type { Failing, MissingValue, VerdictEvents } from './verdict.events.ts';
import { projectStream, verdictStream } from '../../kernel/stream-names.ts';

type Written = VerdictEvents & Pick<ProbeEvents, 'RunStarted'>;
export type VerdictEvent = EventOf<Written>;
/** An event that was read back also says which chain it belongs to. */
type ReadVerdictEvent = VerdictEvent & { readonly id?: string; readonly meta?: EventMeta };

export type VerdictStanding =
  | { readonly kind: 'none' }
  | { readonly kind: 'ok' }
  | { readonly kind: 'failing'; readonly since: string; readonly failing: Failing };

export interface Verdict {
  readonly standing: VerdictStanding;
  readonly suspicion: { readonly since: string; readonly failing: Failing; readonly chain: EventChain | null } | null;
  readonly instability: Instability | null;
  /** Why the check is not run; null if it is. */
  readonly skipped: MissingValue | null;
}

const initial: Verdict = { standing: { kind: 'none' }, suspicion: null, instability: null, skipped: null };

function evolve(verdict: Verdict, event: ReadVerdictEvent): Verdict {
  switch (event.type) {
    case 'RunStarted':
      return verdict;
    case 'CheckPassed':
      return { ...verdict, standing: { kind: 'ok' } };
    case 'CheckSuspected':
      return { ...verdict, suspicion: { since: event.data.since, failing: event.data.failing, chain: chainAfter(event) } };
    case 'CheckSuspicionCleared':
      return { ...verdict, suspicion: null };
    case 'CheckFailed':
      return { ...verdict, suspicion: null, standing: { kind: 'failing', since: event.data.since, failing: event.data.failing } };
    case 'CheckFailureChanged':
      return verdict.standing.kind === 'failing' ? { ...verdict, standing: { ...verdict.standing, failing: event.data.to } } : verdict;
    case 'CheckRecovered':
      return { ...verdict, standing: { kind: 'ok' } };
    case 'CheckInstabilityOpened':
      return { ...verdict, suspicion: null, instability: openedInstability(event.data.since) };
    case 'CheckInstabilityCounted':
      return verdict.instability === null ? verdict : { ...verdict, instability: countInstability(verdict.instability, event.data) };
    case 'CheckInstabilityClosed':
      return { ...verdict, instability: null };
    case 'CheckSkipped':
      return { ...verdict, skipped: event.data.missing };
    case 'CheckResumed':
      return { ...verdict, skipped: null };
    default:
      return ignoreUnknownEvent(event, verdict);
  }
}

export const verdict: Decider<Verdict, VerdictEvent> = { initial, evolve };

export const verdictTarget = (projectId: string, checkId: string) => ({
  stream: verdictStream(checkId),
  scope: projectStream(projectId),
  decider: verdict,
});
