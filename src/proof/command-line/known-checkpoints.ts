import type { Resources } from '../../app/resources.ts';
import { witnessAt } from '../sealing.ts';
import type { Config } from '../../platform/config/config.ts';
import { openCheckpoint } from '../../client/proofs/checkpoint.ts';
import type { KnownCheckpoint } from '../seal/equivocation/checkpoint-file.ts';
import type { KeptNote } from '../seal/whole-log.ts';
import { type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { readNote } from './verify-file.ts';

/** What is known to be signed outside the database: in `DATA_DIR`, by other instances, and by the witness, if it answers. */
export async function knownCheckpoints(
  { seal }: Pick<Resources, 'seal'>,
  { checkpointUrl }: Pick<Config, 'checkpointUrl'>,
  { say }: CliOutput,
): Promise<readonly KnownCheckpoint[]> {
  if (checkpointUrl !== undefined) {
    const reply = await witnessAt(checkpointUrl).recall();
    if (reply.kind === 'failed') say(`The witness does not answer (${reply.reason}): its newest checkpoint is not compared.`);
    else if (reply.status === 200) await seal.guard.learn(reply.body);
  }
  return seal.guard.known();
}

/** A checkpoint that the operator names: unlike one that is merely found, it has to be of this log. */
export async function givenCheckpoint({ seal }: Pick<Resources, 'seal'>, file: string): Promise<KnownCheckpoint> {
  const note = readNote(file);
  const known = await seal.guard.openNote(note, file);
  if (known !== null) return known;
  const opened = openCheckpoint(note, await seal.keys.listed());
  throw new WrongUse(
    opened.kind === 'malformed'
      ? `--checkpoint: ${file} is not a checkpoint`
      : `--checkpoint: ${file} was not signed by ${seal.origin}, or a later origin of this log, with a key that \`watchledger seal keys\` lists`,
  );
}

export const asKept = (known: readonly KnownCheckpoint[]): readonly KeptNote[] => known.map(({ source, note }) => ({ name: source, note }));
