import type { Decider } from '../../kernel/decider.ts';
import type { EventBody, EventMeta } from '../../kernel/event.ts';
import type { ProbeEvents } from '../probe/probe.events.ts';
import type { Failing, VerdictEvents } from './verdict.events.ts';

type Written = VerdictEvents & Pick<ProbeEvents, 'RunStarted'>;
export type VerdictEvent = { [Type in keyof Written]: EventBody<Type, Written[Type]> }[keyof Written];
/** An event that was read back also says which chain it belongs to. */
type ReadVerdictEvent = VerdictEvent & { readonly id?: string; readonly meta?: EventMeta };

/** The chain that a confirming run goes on with. */
export interface Chain {
  readonly correlationId: string;
  readonly causationId: string;
}

export type Standing =
  { readonly kind: 'none' } | { readonly kind: 'ok' } | { readonly kind: 'failing'; readonly since: string; readonly failing: Failing };

export interface Verdict {
  readonly standing: Standing;
  readonly suspicion: { readonly since: string; readonly failing: Failing; readonly chain: Chain | null } | null;
  /** While open, unconfirmed failures are counted up to `countedUntil` instead of listed. */
  readonly instability: { readonly since: string; readonly countedUntil: string; readonly counted: number } | null;
}

const initial: Verdict = { standing: { kind: 'none' }, suspicion: null, instability: null };

function evolve(verdict: Verdict, event: ReadVerdictEvent): Verdict {
  switch (event.type) {
    case 'RunStarted':
      return verdict;
    case 'CheckPassed':
      return { ...verdict, standing: { kind: 'ok' } };
    case 'CheckSuspected':
      return { ...verdict, suspicion: { since: event.data.since, failing: event.data.failing, chain: chainOf(event) } };
    case 'CheckSuspicionCleared':
      return { ...verdict, suspicion: null };
    case 'CheckFailed':
      return { ...verdict, suspicion: null, standing: { kind: 'failing', since: event.data.since, failing: event.data.failing } };
    case 'CheckFailureChanged':
      return verdict.standing.kind === 'failing' ? { ...verdict, standing: { ...verdict.standing, failing: event.data.to } } : verdict;
    case 'CheckRecovered':
      return { ...verdict, standing: { kind: 'ok' } };
    case 'CheckInstabilityOpened':
      return { ...verdict, suspicion: null, instability: { since: event.data.since, countedUntil: event.data.since, counted: 0 } };
    case 'CheckInstabilityCounted':
      return verdict.instability === null ? verdict : { ...verdict, instability: counted(verdict.instability, event.data) };
    case 'CheckInstabilityClosed':
      return { ...verdict, instability: null };
    default:
      return never(event, verdict);
  }
}

const counted = (known: NonNullable<Verdict['instability']>, { to, unconfirmed }: VerdictEvents['CheckInstabilityCounted']) => ({
  ...known,
  countedUntil: to,
  counted: known.counted + unconfirmed,
});

const never = (_event: never, verdict: Verdict): Verdict => verdict;

const chainOf = ({ id, meta }: ReadVerdictEvent): Chain | null =>
  id === undefined || meta === undefined ? null : { correlationId: meta.correlationId, causationId: id };

export const verdict: Decider<Verdict, VerdictEvent> = { initial, evolve };

export const verdictTarget = (projectId: string, checkId: string) => ({
  stream: `verdict-${checkId}`,
  scope: `project-${projectId}`,
  decider: verdict,
});
