import type { AvailabilityMethod, CreditTier, ServiceObjective } from '../../projects/objectives/objective.settings.ts';
import type { Repeat } from '../../projects/maintenance/maintenance.events.ts';

export const STATEMENT_FORMAT = 'watchledger-statement/1';

/** Instants are ISO 8601 in UTC, durations whole milliseconds. */
export interface StatementSpan {
  /** `2026-10` when a calendar month was asked for. */
  readonly month: string | null;
  readonly from: string;
  readonly to: string;
  /** The end of what the statement knows: `to`, or before it when the span is not over. */
  readonly until: string;
  readonly offsetMinutes: number;
}

export type KnownState = 'up' | 'down' | 'timeout';
/** From, to (milliseconds since midnight UTC) and the state in between. Time in no interval is unknown. */
export type DayPart = readonly [from: number, to: number, state: KnownState];

export interface StatedDay {
  /** A UTC day. */
  readonly day: string;
  /** The event that closed it. */
  readonly event: string | null;
  /** Not closed yet: its intervals are stated by the service alone, without a proof. */
  readonly measured: boolean;
  readonly intervals: readonly DayPart[];
}

export interface StatedWindow {
  readonly windowId: string;
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly repeat: Repeat | null;
  readonly offsetMinutes: number;
  readonly endedAt: string | null;
  readonly announcedAt: string;
  readonly event: string;
  readonly endEvent: string | null;
  /** Within the span. `announced`: recorded before it began. */
  readonly occurrences: readonly { readonly from: string; readonly to: string; readonly announced: boolean }[];
}

/** Corrections concern checks. They are listed, and change no figure of the site. */
export interface StatedCorrection {
  readonly event: string;
  readonly checkId: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly recordedAt: string;
  readonly runs: number;
  readonly judged: number;
  readonly changed: number;
}

/** A confirmed failure, as far as it lies in the span and was measured. */
export interface StatedIncident {
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  readonly cause: string;
  /** The event that recorded the failure; null: it is not among the evidence. */
  readonly event: string | null;
}

export interface StatedResponseTimes {
  readonly responses: number;
  /** UTC days that begin in the span and are closed. */
  readonly days: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface StatedObjective {
  readonly target: ServiceObjective['target'];
  readonly credits: readonly CreditTier[];
  readonly setAt: string;
  readonly event: string;
  /** It was set for the first time after the span. */
  readonly afterwards: boolean;
}

export interface DayFigures {
  /** A day in the offset of the span. */
  readonly date: string;
  readonly availability: number | null;
  readonly upMs: number;
  readonly downMs: number;
  readonly unknownMs: number;
  readonly maintenanceMs: number;
}

export interface MethodFigures {
  readonly method: string;
  /** Percent, rounded as the method says; null where no time counts. */
  readonly availability: number | null;
  readonly upMs: number;
  /** Down and timed out, and unknown time where the method counts it as down. */
  readonly downMs: number;
  readonly unknownMs: number;
  readonly maintenanceMs: number;
  /** Up and down together: the divisor. */
  readonly countedMs: number;
  readonly downtimeByCause: readonly { readonly cause: string; readonly ms: number }[];
  /** Incidents with counted downtime. */
  readonly incidents: number;
  /** Unconfirmed failures that were only counted, so that their time is missing here; 0 where the method does not count them. */
  readonly unlistedFailures: number;
  /** Null without a target, or when the span is not one of its windows or not over. */
  readonly objectiveMet: boolean | null;
  /** Null without a target, or when the span is not one of its windows. */
  readonly errorBudget: { readonly allowedMs: number; readonly usedMs: number; readonly remainingMs: number } | null;
  /** Percent of the fee; null: no credits, or the span is not a window of the objective or not over. */
  readonly credit: number | null;
  readonly days: readonly DayFigures[];
}

/** What follows from the evidence alone. */
export interface StatementFigures {
  readonly objective: StatedObjective | null;
  readonly methods: readonly (AvailabilityMethod & { readonly words: readonly string[] })[];
  readonly figures: readonly MethodFigures[];
  readonly responseTimes: StatedResponseTimes | null;
  readonly incidents: readonly StatedIncident[];
  readonly maintenance: readonly StatedWindow[];
  readonly corrections: readonly StatedCorrection[];
  readonly days: readonly StatedDay[];
}

export interface PackedEvidence {
  /** The hashes of all inclusion paths, each once, in base64. */
  readonly hashes: readonly string[];
  /** In log order. `path`: numbers of hashes, from the leaf up. */
  readonly events: readonly { readonly index: number; readonly leaf: string; readonly path: readonly number[] }[];
}

export interface StreamExtent {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  readonly events: number;
  /** Every revision between the first and the last is among the evidence. */
  readonly complete: boolean;
}

export interface Edition {
  readonly number: number;
  readonly supersedes: { readonly number: number; readonly sha256: string; readonly event: string } | null;
}

export interface StatementDocument extends StatementFigures {
  readonly format: typeof STATEMENT_FORMAT;
  readonly project: { readonly id: string; readonly title: string; readonly url: string };
  readonly span: StatementSpan;
  /** Names of the methods that were asked for; empty: all of the objective. */
  readonly asked: readonly string[];
  readonly generatedAt: string;
  /** The edition of a closed month; null when the statement is not kept. */
  readonly edition: Edition | null;
  readonly streams: readonly StreamExtent[];
  readonly evidence: PackedEvidence;
  /** The signed note whose root all paths lead to. */
  readonly checkpoint: string;
  /** The verifier keys of the signature. A receiver compares them with those that they trust. */
  readonly keys: readonly string[];
  /** SHA-256, in hexadecimal, of the HTML file without the data in it. */
  readonly pageSha256: string;
}

/** What the page shows: everything but its own hash. */
export type StatementContent = Omit<StatementDocument, 'pageSha256'>;

export interface SignedStatement extends StatementDocument {
  /** Signature lines of a C2SP note whose text is the canonical JSON of all other members, and a line feed. */
  readonly signature: string;
}
