import { resolve } from 'node:path';
import { readFileHead } from '../../backup/read-backup.ts';
import { refuseIncompatible } from '../../backup/refuse-incompatible.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { openDatabase } from '../../embedded-postgres/open-database.ts';
import { installationKey } from '../backup/installation-key.ts';
import { barFor, readThrough } from '../backup/read-through.ts';
import { advise, checked, words } from '../backup/restore-words.ts';
import { readNote } from '../seal/verify-file.ts';
import { type CliCommand, type CliInput, WrongUse } from '../command.ts';
import { interruptible } from '../terminal.ts';

export const command: CliCommand = {
  about: 'Fill an installation that was never used from a backup. The files are read to their end and checked before anything is written',
  args: ['FILE'],
  options: {
    keys: { type: 'string', value: 'FILE', about: 'the keys, as new as can be had; FILE.keys unless given' },
    check: { type: 'boolean', about: 'read and check the files, and touch no database' },
    erased: { type: 'string', value: 'IDS', about: 'accounts that were erased after the keys were copied; several with commas' },
    checkpoint: {
      type: 'string',
      value: 'FILE',
      about: 'a later checkpoint, such as from a witness: what it covers beyond the backup is declared lost',
    },
  },
  run: async ({ input, output, config: read }) => {
    const path = resolve(input.args[0] ?? '');
    const erased = idsOf(input);
    const config = read();
    const master = await installationKey(config);
    const keysPath = resolve(input.text('keys') ?? `${path}.keys`);
    const data = { path, head: await readFileHead(path, master) };
    const keys = { path: keysPath, head: await readFileHead(keysPath, master) };
    refuseIncompatible(data, keys, config.eventStoreUrl === undefined ? 'postgres' : 'kurrentdb');
    const given = input.text('checkpoint');
    const checkpoint = given === undefined ? null : readNote(given);
    return interruptible(async (signal) => {
      const rows = { ...(await readThrough(path, master, signal)), ...(await readThrough(keysPath, master, signal)) };
      if (input.flag('check')) {
        const { head } = data;
        output.result({ whole: true, takenAt: head.takenAt, keysTakenAt: keys.head.takenAt, events: head.events, rows }, () =>
          checked(data, keys),
        );
        return 0;
      }
      const database = await openDatabase(config, output.say, { mayCreate: true });
      const bar = await barFor('restore', path);
      try {
        const order = { url: database.url, master, data, keys, checkpoint, erased, signal, progress: bar.report };
        const restored = await restoreBackup(order);
        bar.end();
        output.result({ takenAt: data.head.takenAt, keysTakenAt: keys.head.takenAt, ...restored }, () => words(order, restored));
        advise(order, output);
        return 0;
      } finally {
        bar.end();
        await database.close();
      }
    }).catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
      output.say('Interrupted: nothing was restored.');
      return 1;
    });
  },
};

function idsOf(input: CliInput): readonly number[] {
  const parts = (input.text('erased') ?? '').split(',').filter(Boolean);
  const wrong = parts.find((part) => !/^[1-9]\d{0,8}$/.test(part.trim()));
  if (wrong !== undefined) throw new WrongUse(`--erased: '${wrong}' is no id of an account`);
  return parts.map(Number);
}
