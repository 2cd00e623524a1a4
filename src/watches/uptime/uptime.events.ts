import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { UptimeFailure } from '../../platform/observations/samples/probe-outcome.ts';

/** The part of a probe that lets a person verify the verdict. */
export interface Evidence {
  readonly url: string;
  readonly at: string;
  readonly location: string;
  readonly outcome: 'up' | UptimeFailure;
  /** The status of the last answer; null when there was none. */
  readonly httpStatus: number | null;
  /** Why it failed, in words; null when it did not. */
  readonly reason: string | null;
  readonly milliseconds: number;
  /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
  readonly exchange?: string;
}

export interface UptimeEvents {
  /** The site answered for the first time; failures before that are not notified. */
  UptimeBegan: { readonly since: string; readonly evidence: Evidence };
  UptimeSuspected: { readonly since: string; readonly outcome: UptimeFailure; readonly evidence: Evidence };
  /** Nothing confirmed the suspicion: it counts as up. */
  UptimeSuspicionCleared: {
    readonly since: string;
    readonly outcome: UptimeFailure;
    /** `unanswered`: the confirming probe came too late to say anything about the time before. */
    readonly because: 'answered' | 'unanswered';
    readonly evidence: Evidence;
  };
  /** Down since the first failing probe, said when the second confirmed it. */
  UptimeWentDown: {
    readonly since: string;
    readonly outcome: UptimeFailure;
    readonly before: 'unknown' | 'up';
    readonly first: Evidence;
    readonly evidence: Evidence;
  };
  /** Still down, in another way; two probes in a row said so. */
  UptimeFailureChanged: { readonly since: string; readonly from: UptimeFailure; readonly to: UptimeFailure; readonly evidence: Evidence };
  UptimeWentUp: { readonly since: string; readonly downSince: string; readonly outcome: UptimeFailure; readonly evidence: Evidence };
  /** Too many unconfirmed failures per hour to list; from here on they are counted. */
  UptimeInstabilityOpened: { readonly since: string; readonly unconfirmed: number };
  UptimeInstabilityCounted: { readonly from: string; readonly to: string; readonly unconfirmed: number };
  /** `unconfirmed`: all that were counted since it opened. */
  UptimeInstabilityClosed: { readonly since: string; readonly until: string; readonly unconfirmed: number };
}

export const uptimeEvents = {
  UptimeBegan: { version: 1 },
  UptimeSuspected: { version: 1, visibility: 'internal' },
  UptimeSuspicionCleared: { version: 1, visibility: 'internal' },
  UptimeWentDown: { version: 1 },
  UptimeFailureChanged: { version: 1 },
  UptimeWentUp: { version: 1 },
  UptimeInstabilityOpened: { version: 1, visibility: 'internal' },
  UptimeInstabilityCounted: { version: 1, visibility: 'internal' },
  UptimeInstabilityClosed: { version: 1, visibility: 'internal' },
} satisfies EntriesOf<UptimeEvents>;
