import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { resolve } from 'node:path';
import { type BackupTaken, takeBackup } from './take-backup.ts';
import { openDatabase } from '../embedded-postgres/open-database.ts';
import { programVersion } from '../../platform/config/program.ts';
import { installationKey } from './backup-files.ts';
import { type CliCommand, WrongUse } from '../../platform/cli/command.ts';
import { interruptible } from '../../platform/cli/terminal.ts';
import { Progress } from '../../platform/cli/progress.ts';

export const command: CliCommand = {
  about:
    'Back up all data to FILE as of one instant, while the service runs, and the keys to FILE.keys. Neither contains the master key: store it separately',
  args: ['[FILE]'],
  options: {
    keys: {
      type: 'string',
      value: 'FILE',
      about: 'file for the keys (default: FILE.keys); keep only the newest one, so that erased accounts stay erased',
    },
    'only-keys': { type: 'boolean', about: 'back up the keys only, such as after an erasure; FILE is not written' },
  },
  run: async ({ input, output, config: read }) => {
    const [name] = input.args;
    const only = input.flag('only-keys');
    const keysName = input.text('keys') ?? (name === undefined ? undefined : `${name}.keys`);
    if (keysName === undefined || (name === undefined && !only)) throw new WrongUse('FILE is missing');
    const [file, keysFile] = [only || name === undefined ? null : resolve(name), resolve(keysName)];
    if (file === keysFile) throw new WrongUse('--keys: must be another file than FILE');
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
        takeBackup({
          url: database.url,
          observationsUrl: config.observationsUrl,
          schemas: new ObservationSchemas(config.observationSchemas),
          master,
          engine,
          program: programVersion(),
          file,
          keysFile,
          signal,
          progress,
        }),
      );
      bar.end();
      output.result({ engine, file, keysFile, ...summary(taken) }, () => text(taken, file, keysFile));
      if (config.observationsUrl !== undefined && file !== null)
        output.say('Measurements and kept pages are as of a moment later: they have a database of their own (OBSERVATIONS_URL).');
      if (engine === 'kurrentdb' && file !== null)
        output.say('The events are in the event store: back it up after this backup, never before, and then the keys again (--only-keys).');
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

const summary = ({ data, keys }: BackupTaken): object => ({
  origin: keys.head.origin,
  takenAt: data?.head.takenAt ?? null,
  keysTakenAt: keys.head.takenAt,
  events: data?.head.events ?? null,
  bytes: data?.bytes ?? null,
  rows: { ...data?.rows, ...keys.rows },
});

const text = ({ data, keys }: BackupTaken, file: string | null, keysFile: string): string =>
  [
    ...(data === null || file === null
      ? []
      : [`${file}: ${String(data.head.events)} events and their measurements as of ${data.head.takenAt}, ${String(data.bytes)} bytes`]),
    `${keysFile}: the keys as of ${keys.head.takenAt}`,
  ].join('\n');
