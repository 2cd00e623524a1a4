import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { Rule } from '../../projects/checks/rule.ts';

/**
 * The verdicts of a past time span under corrected rules. The stored pages are deleted one day, so the event
 * contains the new verdicts; the original ones stay in the log.
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
