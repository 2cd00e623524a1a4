/** The data of a weekly report, before it is worded. Instants are milliseconds since the epoch. */
export interface Report {
  readonly id: string;
  /** The recipient's time zone. */
  readonly zone: string;
  readonly from: number;
  readonly to: number;
  readonly projects: readonly ProjectWeek[];
  /** Projects omitted for lack of room. */
  readonly more: number;
  /** The latest signed checkpoint of the log; null before the first. */
  readonly checkpoint: string | null;
}

export interface ProjectWeek {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  /** In percent of the time that is known; null when nothing was measured. */
  readonly uptime: { readonly up: number; readonly down: number; readonly timeout: number; readonly unknownMs: number } | null;
  /** In milliseconds; null when there was no answer or no probe. */
  readonly responseTimes: ResponseWeek | null;
  readonly failures: FailureList;
  /** Checks with verdicts of the week that were corrected later. */
  readonly corrections: readonly CorrectedCheck[];
  /** A certificate that expires soon, has expired or does not verify; null when it needs no attention. */
  readonly certificate: {
    readonly host: string;
    readonly validTo: string;
    readonly daysLeft: number;
    readonly problem: string | null;
  } | null;
}

export interface ResponseWeek {
  readonly answers: number;
  readonly mean: number;
  readonly slowest: ResponsePoint;
  readonly points: readonly ResponsePoint[];
}

export interface ResponsePoint {
  readonly at: number;
  readonly milliseconds: number;
}

export interface FailureList {
  readonly total: number;
  /** The longest failures. */
  readonly shown: readonly Failure[];
}

export interface Failure {
  /** `check Homepage`, `the site`. */
  readonly what: string;
  readonly reason: string;
  readonly since: number;
  /** Null when it had not ended by the end of the week. */
  readonly until: number | null;
}

export interface CorrectedCheck {
  /** `check Homepage`. */
  readonly what: string;
  /** The reason of the latest correction. */
  readonly reason: string;
  readonly original: CheckFigures;
  readonly corrected: CheckFigures;
  /** For part of the time too little was kept to evaluate it again. */
  readonly isPartial: boolean;
}

export interface CheckFigures {
  readonly failures: number;
  /** Percentage of known time in which the check passed; null when nothing is known. */
  readonly passed: number | null;
}
