import type { Decider } from '../../kernel/decider.ts';
import { same } from '../../kernel/change.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { CorrectionEvents } from './correction.events.ts';
import { correctionsStream, projectStream } from '../../kernel/stream-names.ts';

export type Correction = CorrectionEvents['CheckCorrected'];
type CorrectionEvent = EventBody<'CheckCorrected', Correction>;

/** The corrections of one check. */
export interface Corrections {
  readonly count: number;
  readonly last: Correction | null;
}

const MOST = 200;
const LONGEST_REASON = 1000;
/** With 24 KiB of rules the event stays below its size limit. */
const LONGEST_VERDICTS = 28 * 1024;

export const corrections: Decider<Corrections, CorrectionEvent> = {
  initial: { count: 0, last: null },
  evolve: ({ count }, { data }) => ({ count: count + 1, last: data }),
};

/** Repeating the last correction changes nothing. */
export function correct({ count, last }: Corrections, wanted: Correction, now: number): readonly CorrectionEvent[] {
  if (last !== null && same({ ...wanted, correctionId: last.correctionId }, last)) return [];
  if (wanted.reason.trim() === '') throw new InvalidInput('reason: must explain why the original verdicts were wrong');
  if (wanted.reason.length > LONGEST_REASON) throw new InvalidInput(`reason: must have at most ${String(LONGEST_REASON)} characters`);
  if (Date.parse(wanted.from) >= Date.parse(wanted.to)) throw new InvalidInput('to: must be later than from');
  if (Date.parse(wanted.to) > now) throw new InvalidInput('to: must not be in the future');
  if (wanted.verdicts.length > LONGEST_VERDICTS)
    throw new InvalidInput('to: too many changes of verdict for one correction; correct the time in parts');
  if (count >= MOST) throw new InvalidInput(`a check may have at most ${String(MOST)} corrections`);
  return [{ type: 'CheckCorrected', data: wanted }];
}

export const correctionsTarget = (projectId: string, checkId: string) => ({
  stream: correctionsStream(checkId),
  scope: projectStream(projectId),
  decider: corrections,
});
