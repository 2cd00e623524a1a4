import { resolve } from 'node:path';
import { type BackupTaken, takeBackup } from '../../backup/take-backup.ts';
import { openDatabase } from '../../embedded-postgres/open-database.ts';
import { programVersion } from '../../config/program-version.ts';
import { installationKey } from '../backup/installation-key.ts';
import { type CliCommand, WrongUse } from '../command.ts';
import { interruptible } from '../terminal.ts';
import { Progress } from '../progress.ts';

export const command: CliCommand = {
  about:
    'Copy everything into FILE as of one instant, while the service goes on, and the keys into FILE.keys. The master key is in neither: keep it elsewhere',
  args: ['[FILE]'],
  options: {
    keys: { type: 'string', value: 'FILE', about: 'where the keys go; keep only the newest, so that who was erased stays erased' },
    'only-keys': { type: 'boolean', about: 'copy the keys alone, such as after an erasure; FILE is not written' },
  },
  run: async ({ input, output, config: read }) => {
    const [name] = input.args;
    const only = input.flag('only-keys');
    const keysName = input.text('keys') ?? (name === undefined ? undefined : `${name}.keys`);
    if (keysName === undefined || (name === undefined && !only)) throw new WrongUse('FILE is missing');
    const [file, keysFile] = [only || name === undefined ? null : resolve(name), resolve(keysName)];
    if (file === keysFile) throw new WrongUse('--keys: the keys go into a file of their own');
    const config = read();
    const master = await installationKey(config);
    const engine = config.eventStoreUrl === undefined ? 'postgres' : 'kurrentdb';
    const database = await openDatabase(config, output.say);
    const bar = new Progress('backup', process.stderr, undefined, 'rows');
    const progress = (done: number, total: number): void => {
      bar.report(done, total);
    };
    try {
      const taken = await interruptible((signal) =>
        takeBackup({ url: database.url, master, engine, program: programVersion(), file, keysFile, signal, progress }),
      );
      bar.end();
      output.result({ engine, file, keysFile, ...shown(taken) }, () => words(taken, file, keysFile));
      if (engine === 'kurrentdb' && file !== null)
        output.say(
          'The event store keeps the events themselves: back it up after this, never before, and then the keys once more (--only-keys).',
        );
      return 0;
    } catch (error) {
      bar.end();
      if (!isAbort(error)) throw error;
      output.say('Interrupted: no file was written.');
      return 1;
    } finally {
      await database.close();
    }
  },
};

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

const shown = ({ data, keys }: BackupTaken): object => ({
  origin: keys.head.origin,
  takenAt: data?.head.takenAt ?? null,
  keysTakenAt: keys.head.takenAt,
  events: data?.head.events ?? null,
  bytes: data?.bytes ?? null,
  rows: { ...data?.rows, ...keys.rows },
});

const words = ({ data, keys }: BackupTaken, file: string | null, keysFile: string): string =>
  [
    ...(data === null || file === null
      ? []
      : [`${file}: ${String(data.head.events)} events and what belongs to them as of ${data.head.takenAt}, ${String(data.bytes)} bytes`]),
    `${keysFile}: the keys as of ${keys.head.takenAt}`,
  ].join('\n');
