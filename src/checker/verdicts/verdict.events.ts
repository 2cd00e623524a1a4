import type { EntriesOf } from '../../kernel/catalogue.ts';

export type FailingStatus = 'error' | 'timeout';

/** The part of a run that lets a person verify the verdict. */
export interface RunEvidence {
  readonly runId: string;
  readonly url: string;
  readonly at: string;
  readonly location: string;
  readonly httpStatus: number | null;
  readonly milliseconds: number;
  /** SHA-256 of the page that the run saw, where it was kept. */
  readonly page: string | null;
  /** SHA-256 of the exchange that was kept as evidence (RFC 8785). */
  readonly exchange?: string;
}

/** Which rules failed, and each failure as a sentence that names what was expected and what was found. */
export interface Failing {
  readonly status: FailingStatus;
  /** Sorted; the verdict changes when this set does, not when a sentence does. */
  readonly rules: readonly string[];
  readonly failures: readonly string[];
}

type OfCheck<Data> = Data & { readonly checkId: string };

/** The value that a check of a journey did not get. */
export interface MissingValue {
  readonly name: string;
  /** The check that should have given it; null if no check does. */
  readonly from: string | null;
  /** As a sentence. */
  readonly reason: string;
}

export interface VerdictEvents {
  /** Passed for the first time; failures are notified from here on. */
  CheckPassed: OfCheck<{ readonly since: string; readonly evidence: RunEvidence }>;
  CheckSuspected: OfCheck<{ readonly since: string; readonly failing: Failing; readonly evidence: RunEvidence }>;
  CheckSuspicionCleared: OfCheck<{ readonly since: string; readonly failing: Failing; readonly evidence: RunEvidence }>;
  CheckFailed: OfCheck<{
    readonly since: string;
    readonly failing: Failing;
    /** False: its very first run failed, which counts at once and is not notified. */
    readonly confirmed: boolean;
    readonly evidence: RunEvidence;
  }>;
  CheckFailureChanged: OfCheck<{ readonly since: string; readonly from: Failing; readonly to: Failing; readonly evidence: RunEvidence }>;
  CheckRecovered: OfCheck<{
    readonly since: string;
    readonly failedSince: string;
    readonly failing: Failing;
    readonly evidence: RunEvidence;
  }>;
  /** Too many unconfirmed failures per hour to list; from here on they are counted. */
  CheckInstabilityOpened: OfCheck<{ readonly since: string; readonly unconfirmed: number }>;
  CheckInstabilityCounted: OfCheck<{ readonly from: string; readonly to: string; readonly unconfirmed: number }>;
  /** `unconfirmed`: all that were counted since it opened. */
  CheckInstabilityClosed: OfCheck<{ readonly since: string; readonly until: string; readonly unconfirmed: number }>;
  /** Not run, because an earlier check of its group did not give a value that it uses; says nothing about its own page. */
  CheckSkipped: OfCheck<{ readonly since: string; readonly missing: MissingValue }>;
  /** The first run of a skipped check. */
  CheckResumed: OfCheck<{ readonly since: string }>;
}

export const verdictEvents = {
  CheckPassed: { version: 1 },
  CheckSuspected: { version: 1, visibility: 'internal' },
  CheckSuspicionCleared: { version: 1, visibility: 'internal' },
  CheckFailed: { version: 1 },
  CheckFailureChanged: { version: 1 },
  CheckRecovered: { version: 1 },
  CheckInstabilityOpened: { version: 1, visibility: 'internal' },
  CheckInstabilityCounted: { version: 1, visibility: 'internal' },
  CheckInstabilityClosed: { version: 1, visibility: 'internal' },
  CheckSkipped: { version: 1 },
  CheckResumed: { version: 1 },
} satisfies EntriesOf<VerdictEvents>;
