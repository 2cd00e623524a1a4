import type { VerifierKey } from '../../../ledger/verify/signed-note.ts';
import { verifyLog } from '../../../ledger/verify/verify-log.ts';
import { wholeLog } from '../../../ledger/whole-log.ts';
import type { Parts } from '../../parts.ts';
import type { CliOutput } from '../command.ts';
import { Progress } from '../progress.ts';

export interface Trust {
  /** Null: the keys that the installation lists itself. */
  readonly keys: readonly VerifierKey[] | null;
  readonly kept: readonly string[];
}

/** The whole log against its tiles and every checkpoint ever signed. */
export async function verifyInstallation(
  { seal, log }: Pick<Parts, 'seal' | 'log'>,
  { keys, kept }: Trust,
  output: CliOutput,
): Promise<number> {
  const total = (await log.head()) + 1;
  const progress = new Progress('verify');
  const onProgress = (events: number): void => {
    progress.report(events, total);
  };
  const trusted = keys ?? (await seal.keys.listed());
  const verdict = await verifyLog(await wholeLog({ store: seal.store, log, keys: trusted, kept, onProgress })).finally(() => {
    progress.end();
  });
  if (verdict.kind === 'tampered') {
    output.result({ intact: false, finding: verdict.finding }, `NOT INTACT: ${verdict.finding.message}`);
    return 1;
  }
  const { events, sealed, checkpoints, givenUp } = verdict;
  output.result({ intact: true, origin: seal.origin, events, sealed, checkpoints, givenUp }, () =>
    [
      `Intact: ${String(sealed)} sealed events of ${seal.origin}, and ${String(checkpoints)} checkpoints.`,
      ...(events > sealed ? [`${String(events - sealed)} more are not sealed yet.`] : []),
      ...(givenUp > 0 ? [`${String(givenUp)} checkpoints cover events that were declared lost in the log itself.`] : []),
    ].join('\n'),
  );
  return 0;
}
