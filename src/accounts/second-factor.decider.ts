import type { EventBody, Sealed } from '../kernel/event.ts';
import { DomainError } from '../kernel/errors.ts';
import { ignoreUnknownEvent } from '../kernel/decider.ts';
import { same } from '../kernel/change.ts';
import type { AccountEvents } from './account.events.ts';
import { type FactorKind, RECOVERY_CODES } from './account.settings.ts';

type FactorEventType =
  | 'SecondFactorEnrolled'
  | 'SecondFactorConfirmed'
  | 'SecondFactorRenamed'
  | 'SecondFactorRemoved'
  | 'RecoveryCodesGenerated'
  | 'RecoveryCodeUsed'
  | 'PasskeyCounterRegressed';
export type FactorEvent = { [Type in FactorEventType]: EventBody<Type, AccountEvents[Type]> }[FactorEventType];

export interface SecondFactor {
  readonly kind: FactorKind;
  readonly name: Sealed;
}

/** The set of recovery codes that is valid, and the places of those that were used. */
export interface RecoveryCodeSet {
  readonly setId: string;
  readonly used: ReadonlySet<number>;
}

/** What is in force: the rows beside the log hold the secrets of these, and nothing else counts (docs/decisions/sign-in.md). */
export interface SecondFactors {
  readonly factors: ReadonlyMap<string, SecondFactor>;
  /** Null without a factor. */
  readonly recovery: RecoveryCodeSet | null;
}

export const MAX_FACTORS = 20;
export const noFactors: SecondFactors = { factors: new Map(), recovery: null };

export class SecondFactorNotFound extends DomainError {
  readonly code = 'SECOND_FACTOR_NOT_FOUND';

  constructor() {
    super('The second factor was not found.');
  }
}

export class TooManyFactors extends DomainError {
  readonly code = 'TOO_MANY_FACTORS';

  constructor() {
    super(`An account has at most ${String(MAX_FACTORS)} second factors; remove one first.`);
  }
}

export class NoSecondFactor extends DomainError {
  readonly code = 'NO_SECOND_FACTOR';

  constructor() {
    super('The account has no second factor for which there could be recovery codes.');
  }
}

export function evolveFactors(state: SecondFactors, event: FactorEvent): SecondFactors {
  const { factors, recovery } = state;
  switch (event.type) {
    case 'SecondFactorConfirmed': {
      const { factorId, kind, name } = event.data;
      return { ...state, factors: new Map(factors).set(factorId, { kind, name }) };
    }
    case 'SecondFactorRenamed': {
      const { factorId, to } = event.data;
      const factor = factors.get(factorId);
      return factor === undefined ? state : { ...state, factors: new Map(factors).set(factorId, { ...factor, name: to }) };
    }
    case 'SecondFactorRemoved': {
      const left = new Map([...factors].filter(([factorId]) => factorId !== event.data.factorId));
      return { factors: left, recovery: left.size === 0 ? null : recovery };
    }
    case 'RecoveryCodesGenerated':
      return { ...state, recovery: { setId: event.data.setId, used: new Set() } };
    case 'RecoveryCodeUsed':
      if (recovery?.setId !== event.data.setId) return state;
      return { ...state, recovery: { ...recovery, used: new Set(recovery.used).add(event.data.place) } };
    case 'SecondFactorEnrolled':
    case 'PasskeyCounterRegressed':
      return state;
    default:
      return ignoreUnknownEvent(event, state);
  }
}

export function enrolFactor({ factors }: SecondFactors, wanted: AccountEvents['SecondFactorEnrolled']): readonly FactorEvent[] {
  if (factors.size >= MAX_FACTORS) throw new TooManyFactors();
  return [{ type: 'SecondFactorEnrolled', data: wanted }];
}

/** The first factor brings recovery codes with it: without them a lost device would lock its owner out. */
export function confirmFactor(
  { factors, recovery }: SecondFactors,
  wanted: AccountEvents['SecondFactorConfirmed'],
  setId: string,
): readonly FactorEvent[] {
  if (factors.has(wanted.factorId)) return [];
  if (factors.size >= MAX_FACTORS) throw new TooManyFactors();
  const confirmed: FactorEvent = { type: 'SecondFactorConfirmed', data: wanted };
  return recovery === null ? [confirmed, generated(setId)] : [confirmed];
}

export function renameFactor(state: SecondFactors, factorId: string, name: Sealed): readonly FactorEvent[] {
  const { name: from } = requireFactor(state, factorId);
  return same(from, name) ? [] : [{ type: 'SecondFactorRenamed', data: { factorId, from, to: name } }];
}

export function removeFactor(state: SecondFactors, factorId: string): readonly FactorEvent[] {
  const { kind } = requireFactor(state, factorId);
  return [{ type: 'SecondFactorRemoved', data: { factorId, kind, by: 'owner' } }];
}

/** The operator's way out for an owner who has lost every factor. */
export const removeAllFactors = ({ factors }: SecondFactors, reason: Sealed): readonly FactorEvent[] =>
  [...factors].map(([factorId, { kind }]) => ({
    type: 'SecondFactorRemoved',
    data: { factorId, kind, by: 'administrator', reason },
  }));

export function generateRecoveryCodes({ factors }: SecondFactors, setId: string): readonly FactorEvent[] {
  if (factors.size === 0) throw new NoSecondFactor();
  return [generated(setId)];
}

/** `[]`: the code is not valid, or was used; of concurrent uses the log accepts one. */
export function useRecoveryCode({ recovery }: SecondFactors, setId: string, place: number): readonly FactorEvent[] {
  if (recovery?.setId !== setId || recovery.used.has(place)) return [];
  return [{ type: 'RecoveryCodeUsed', data: { setId, place, left: codesLeft(recovery) - 1 } }];
}

export const codesLeft = (recovery: RecoveryCodeSet | null): number => (recovery === null ? 0 : RECOVERY_CODES - recovery.used.size);

const generated = (setId: string): FactorEvent => ({ type: 'RecoveryCodesGenerated', data: { setId, count: RECOVERY_CODES } });

function requireFactor({ factors }: SecondFactors, factorId: string): SecondFactor {
  const factor = factors.get(factorId);
  if (factor === undefined) throw new SecondFactorNotFound();
  return factor;
}
