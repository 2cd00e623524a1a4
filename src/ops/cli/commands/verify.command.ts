import { readFileSync } from 'node:fs';
import { readKeys, verifyFile } from '../seal/verify-file.ts';
import { verifyInstallation } from '../seal/verify-installation.ts';
import { type CliCommand, WrongUse } from '../command.ts';
import { withParts } from '../with-parts.ts';

/** A note ends with its signatures; the next one begins behind another empty line, or in another file. */
const readNotes = (files: string): readonly string[] => files.split(',').map((file) => readFileSync(file, 'utf8'));

export const command: CliCommand = {
  about:
    'Check an export, or without FILE the whole log of this installation. Names the first event that was changed, removed, inserted or moved',
  args: ['[FILE]'],
  options: {
    key: { type: 'string', value: 'VKEY', about: 'the verifier key that you trust; needed for a FILE' },
    checkpoint: { type: 'string', value: 'FILE', about: 'a checkpoint that was kept elsewhere, such as by a witness; several with commas' },
  },
  run: async ({ input, output, config }) => {
    const [file] = input.args;
    const keyText = input.text('key');
    const keys = keyText === undefined ? null : readKeys(keyText);
    const checkpoints = input.text('checkpoint');
    if (file !== undefined) {
      if (keys === null) throw new WrongUse('--key is missing: a file cannot vouch for itself');
      if (checkpoints !== undefined) throw new WrongUse('--checkpoint is for the whole log, not for a file');
      return verifyFile(file, keys, output);
    }
    const kept = checkpoints === undefined ? [] : readNotes(checkpoints);
    return withParts(config(), output, (parts) => verifyInstallation(parts, { keys, kept }, output));
  },
};
