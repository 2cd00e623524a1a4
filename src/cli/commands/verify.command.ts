import type { KeptNote } from '../../ledger/whole-log.ts';
import { readNote } from '../seal/read-note.ts';
import { readKeys, verifyFile } from '../seal/verify-file.ts';
import { verifyInstallation } from '../seal/verify-installation.ts';
import { type CliCommand, WrongUse } from '../command.ts';
import { withParts } from '../with-parts.ts';

const readNotes = (files: string): readonly KeptNote[] => files.split(',').map((name) => ({ name, note: readNote(name) }));

export const command: CliCommand = {
  about:
    'Check an export, or without FILE the whole log of this installation. Names the first event that was changed, removed, inserted or moved',
  args: ['[FILE]'],
  options: {
    key: { type: 'string', value: 'VKEY', about: 'the verifier key that you trust; needed for a FILE' },
    checkpoint: { type: 'string', value: 'FILE', about: 'a checkpoint that was kept elsewhere, such as by a witness; several with commas' },
    measurements: { type: 'boolean', about: 'look also at what was measured on the days that are closed, and at the kept pages' },
  },
  run: async ({ input, output, config }) => {
    const [file] = input.args;
    const keyText = input.text('key');
    const keys = keyText === undefined ? null : readKeys(keyText);
    const checkpoints = input.text('checkpoint');
    if (file !== undefined) {
      if (keys === null) throw new WrongUse('--key is missing: a file cannot vouch for itself');
      if (checkpoints !== undefined) throw new WrongUse('--checkpoint is for the whole log, not for a file');
      if (input.flag('measurements')) throw new WrongUse('--measurements is for the whole log, not for a file');
      return verifyFile(file, keys, output);
    }
    const kept = checkpoints === undefined ? [] : readNotes(checkpoints);
    return withParts(config(), output, (parts) => verifyInstallation(parts, { keys, kept }, input.flag('measurements'), output));
  },
};
