import { HOUR_MS } from '../kernel/time.ts';

/** More unconfirmed failures per hour are counted instead of listed (docs/spec/decisions.md#J11). */
export const MAX_LISTED_PER_HOUR = 6;
/** Stored observations of this time are folded again by a new owner of the check or the uptime watch. */
export const LOOK_BACK = 2 * HOUR_MS;

/** While open, unconfirmed failures are counted up to `countedUntil` instead of listed. */
export interface Instability {
  readonly since: string;
  readonly countedUntil: string;
  readonly counted: number;
}

/** What a decision knows after an observation (a run or an uptime probe). */
export interface Observed {
  readonly at: number;
  /** `at` in ISO 8601. */
  readonly now: string;
  /** When the failures occurred that no later observation confirmed. */
  readonly unconfirmed: readonly number[];
  /** Whether the latest failure counts as unconfirmed is decided by the next observation. */
  readonly isUndecided: boolean;
}

export type InstabilityChange =
  | { readonly kind: 'opened'; readonly data: { readonly since: string; readonly unconfirmed: number } }
  | { readonly kind: 'counted'; readonly data: { readonly from: string; readonly to: string; readonly unconfirmed: number } }
  | { readonly kind: 'closed'; readonly data: { readonly since: string; readonly until: string; readonly unconfirmed: number } };

export const openedInstability = (since: string): Instability => ({ since, countedUntil: since, counted: 0 });

export const countInstability = (
  known: Instability,
  { to, unconfirmed }: { readonly to: string; readonly unconfirmed: number },
): Instability => ({
  ...known,
  countedUntil: to,
  counted: known.counted + unconfirmed,
});

export function instabilityChange(open: Instability | null, { at, now, unconfirmed, isUndecided }: Observed): InstabilityChange | null {
  const inLastHour = unconfirmed.filter((failedAt) => failedAt > at - HOUR_MS).length;
  const isUnstable = inLastHour > MAX_LISTED_PER_HOUR;
  if (open === null) return isUnstable ? { kind: 'opened', data: { since: now, unconfirmed: inLastHour } } : null;
  const countedUntil = Date.parse(open.countedUntil);
  if (at - countedUntil < HOUR_MS || isUndecided) return null;
  const sinceCounted = unconfirmed.filter((failedAt) => failedAt >= countedUntil).length;
  return isUnstable
    ? { kind: 'counted', data: { from: open.countedUntil, to: now, unconfirmed: sinceCounted } }
    : { kind: 'closed', data: { since: open.since, until: now, unconfirmed: open.counted + sinceCounted } };
}
