import { percentages } from '../../platform/observations/samples/report.ts';
import type { CheckCorrection, CorrectedVerdict } from './correction.reader.ts';
import type { CorrectionAnswer } from './correction.api.ts';

/** The corrected verdict of a run, where one exists. */
export const presentCorrectedVerdict = (corrected: CorrectedVerdict | undefined): object => (corrected === undefined ? {} : { corrected });

/** The original and the corrected figures side by side. */
export function presentCorrection({ row, original, corrected, overruledBy }: CheckCorrection): CorrectionAnswer {
  const { correctionId, checkId, from, to, reason, rules, runs, judged, changed, recordedAt, actor, eventId } = row;
  return {
    id: correctionId,
    testId: checkId,
    from,
    to,
    reason,
    rules,
    recordedAt,
    eventId,
    actor: { kind: actor.kind, id: actor.id, ...(actor.tokenId === undefined ? {} : { tokenId: actor.tokenId }) },
    runs,
    judged,
    changed,
    original: presentFigures(original),
    corrected: { ...presentFigures(corrected), unjudgedSeconds: corrected.unjudgedMs / 1000 },
    overruledBy,
  };
}

const presentFigures = ({ totals, failures }: CheckCorrection['original']): CorrectionAnswer['original'] => ({
  uptime: percentages(totals.total),
  unknownSeconds: totals.total.unknownMs / 1000,
  failures,
});
