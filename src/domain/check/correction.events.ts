import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { Rule } from './rule.ts';

/**
 * What a check would have said of a time that is past, had it had these rules. The pages that were judged again are let go of some day; so the event
 * carries what they said, and the verdicts of then stay beside it as they were.
 */
export interface CorrectionEvents {
  CheckCorrected: {
    readonly correctionId: string;
    readonly checkId: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    /** The check's own; those of its group were what the log says they were when this was recorded. */
    readonly rules: readonly Rule[];
    /** The runs of that time that were still known, of how many enough was kept, and how many of these say something else now. */
    readonly runs: number;
    readonly judged: number;
    readonly changed: number;
    /** When which verdict would have held, packed, in base64. Time that nothing kept could speak of is left out. */
    readonly verdicts: string;
  };
}

export const correctionEvents = { CheckCorrected: { version: 1 } } satisfies EntriesOf<CorrectionEvents>;
