import type { VerifierKey } from '../../client/proofs/signed-note.ts';
import { originAt } from '../../client/proofs/origin.ts';
import { verifyLog } from '../../client/proofs/verify-log.ts';
import { type KeptNote, wholeLog } from '../seal/whole-log.ts';
import type { Resources } from '../../app/resources.ts';
import type { CliOutput } from '../../platform/cli/command.ts';
import { Progress } from '../../platform/cli/progress.ts';
import { type Measured, verifyMeasurements } from './verify-measurements.ts';

export interface TrustAnchors {
  /** Null for the keys that the installation itself lists. */
  readonly keys: readonly VerifierKey[] | null;
  readonly kept: readonly KeptNote[];
}

/** Verifies the whole log against its tiles and all checkpoints; with `measurements` also the measurements against the log. */
export async function verifyInstallation(
  {
    seal,
    log,
    readPool: pool,
    observationPool,
    pageBodies,
  }: Pick<Resources, 'seal' | 'log' | 'readPool' | 'observationPool' | 'pageBodies'>,
  { keys, kept }: TrustAnchors,
  measurements: boolean,
  output: CliOutput,
): Promise<number> {
  const total = (await log.head()) + 1;
  const progress = new Progress('verify');
  const onProgress = (events: number): void => {
    progress.report(events, total);
  };
  const trusted = keys ?? (await seal.keys.listed());
  const verdict = await verifyLog(await wholeLog({ pool, store: seal.store, keys: trusted, kept, onProgress })).finally(() => {
    progress.end();
  });
  if (verdict.kind === 'tampered') return refuse(verdict.finding, output);
  const measured = measurements ? await verifyMeasurements(pool, observationPool, pageBodies) : null;
  if (measured?.kind === 'tampered') return refuse(measured.finding, output);
  const { events, sealed, signed, checkpoints, givenUp } = verdict;
  const origin = originAt(seal.origin, (await seal.store.state())?.generation ?? 0);
  const counts = { events, sealed, signed, checkpoints, givenUp };
  output.result({ intact: true, origin, ...counts, ...(measured && { measurements: measured }) }, () =>
    [
      `Intact: ${String(sealed)} sealed events of ${origin}, and ${String(checkpoints)} checkpoints.`,
      ...(sealed > signed ? [`${String(sealed - signed)} of them are not under a signed checkpoint yet.`] : []),
      ...(events > sealed ? [`${String(events - sealed)} more are not sealed yet.`] : []),
      ...(givenUp > 0 ? [`${String(givenUp)} checkpoints cover events that were declared lost in the log itself.`] : []),
      ...(measured === null ? [] : [measuredText(measured)]),
    ].join('\n'),
  );
  return 0;
}

function refuse(finding: { readonly message: string }, output: CliOutput): number {
  output.result({ intact: false, finding }, `NOT INTACT: ${finding.message}`);
  return 1;
}

const measuredText = ({ days, letGo, pages, exchanges }: Extract<Measured, { kind: 'intact' }>): string =>
  `Intact: the measurements of ${String(days)} closed days, ${String(pages)} kept pages and ${String(exchanges)} kept exchanges; the measurements of ${String(letGo)} days have expired.`;
