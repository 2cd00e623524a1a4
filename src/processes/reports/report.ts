/** What a weekly report says, before it is written in words. Instants are milliseconds since the epoch. */
export interface Report {
  readonly id: string;
  /** Of the recipient. */
  readonly zone: string;
  readonly from: number;
  readonly to: number;
  readonly projects: readonly ProjectWeek[];
  /** Projects that are not shown, for want of room. */
  readonly more: number;
  /** The latest signed checkpoint of the log; null where nothing is sealed. */
  readonly checkpoint: string | null;
}

export interface ProjectWeek {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  /** Null: nobody measured. In percent of the time that is known. */
  readonly uptime: { readonly up: number; readonly down: number; readonly timeout: number; readonly unknownMs: number } | null;
  /** Null: nothing answered, or nobody asked. In milliseconds. */
  readonly responseTimes: ResponseWeek | null;
  readonly failures: FailureList;
  /** Checks whose verdicts of the week were corrected later. */
  readonly corrections: readonly CorrectedCheck[];
  /** That ends soon, has ended, or does not verify; null when nothing has to be done. */
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
  /** The longest ones. */
  readonly shown: readonly Failure[];
}

export interface Failure {
  /** `check Homepage`, `the site`. */
  readonly what: string;
  readonly words: string;
  readonly since: number;
  /** Null: it went on when the week ended. */
  readonly until: number | null;
}

export interface CorrectedCheck {
  /** `check Homepage`. */
  readonly what: string;
  /** Of the correction that was made last. */
  readonly reason: string;
  readonly said: CheckFigures;
  readonly corrected: CheckFigures;
  /** Of some of that time too little was kept to judge it again. */
  readonly isPartial: boolean;
}

export interface CheckFigures {
  readonly failures: number;
  /** In percent of the time that is known; null where nothing is. */
  readonly held: number | null;
}
