import { resolve } from 'node:path';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { readFileHead } from './read-backup.ts';
import type { Restored, RestoreOrder } from './restore-order.ts';
import { restoreBackup } from './restore-backup.ts';
import { CheckpointFile } from '../../proof/seal/equivocation/checkpoint-file.ts';
import { openDatabase } from '../embedded-postgres/open-database.ts';
import { type CliCommand, type CliInput, type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { readNote } from '../../proof/command-line/verify-file.ts';
import { interruptible } from '../../platform/cli/terminal.ts';
import { checkFile, fileProgress, installationKey } from './backup-files.ts';
import { migrations } from '../../app/migration-table.ts';
import type { BackupHead } from './backup-head.ts';
import { BackupRefused } from './frames.ts';

export const command: CliCommand = {
  about: 'Restore a backup into an unused installation. The files are checked completely before anything is written',
  args: ['FILE'],
  options: {
    keys: { type: 'string', value: 'FILE', about: 'the newest file of keys (default: FILE.keys)' },
    check: { type: 'boolean', about: 'check the files only; no database is opened' },
    erased: { type: 'string', value: 'IDS', about: 'ids of accounts that were erased after the keys were copied, separated by commas' },
    checkpoint: {
      type: 'string',
      value: 'FILE',
      about: 'a later checkpoint, such as from a witness: the events that it covers beyond the backup are declared lost',
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
      const rows = { ...(await checkFile(path, master, signal)), ...(await checkFile(keysPath, master, signal)) };
      if (input.flag('check')) {
        const { head } = data;
        output.result({ whole: true, takenAt: head.takenAt, keysTakenAt: keys.head.takenAt, events: head.events, rows }, () =>
          checkedText(data, keys),
        );
        return 0;
      }
      const database = await openDatabase(config, output.say, { mayCreate: true });
      const bar = await fileProgress('restore', path);
      try {
        const lastCheckpoint = await new CheckpointFile(config.dataDir).read();
        const { observationsUrl, observationSchemas } = config;
        const order = {
          url: database.url,
          observationsUrl,
          schemas: new ObservationSchemas(observationSchemas),
          master,
          data,
          keys,
          checkpoint,
          lastCheckpoint,
          erased,
          signal,
          progress: bar.report,
        };
        const restored = await restoreBackup(order);
        bar.end();
        output.result({ takenAt: data.head.takenAt, keysTakenAt: keys.head.takenAt, ...restored }, () => restoredText(order, restored));
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
  const invalid = parts.find((part) => !/^[1-9]\d{0,8}$/.test(part.trim()));
  if (invalid !== undefined) throw new WrongUse(`--erased: '${invalid}' is not an account id`);
  return parts.map(Number);
}

const checkedText = (data: RestoreOrder['data'], keys: RestoreOrder['keys']): string =>
  [
    `Whole: ${String(data.head.events)} events of ${data.head.origin} as of ${data.head.takenAt}, made by version ${data.head.program}.`,
    `The keys are as of ${keys.head.takenAt}.`,
  ].join('\n');

const restoredText = ({ data }: RestoreOrder, { events, lost, erasing }: Restored): string =>
  [
    `Restored: ${String(events)} events of ${data.head.origin} as of ${data.head.takenAt}.`,
    ...(lost === null
      ? []
      : [`${String(lost.from - lost.to)} later sealed events, from ${String(lost.to)} on, are lost; the log declares this.`]),
    ...(erasing.length === 0 ? [] : [`Erased again within a minute of the next start: account ${erasing.join(', ')}.`]),
  ].join('\n');

/** Steps for the operator that depend on facts outside the files. */
function advise({ data, keys }: RestoreOrder, { say }: CliOutput): void {
  say(`Accounts erased after ${keys.head.takenAt} are restored unless --erased named them: erase them again.`);
  if (data.head.engine === 'kurrentdb')
    say('Events in the event store that are newer than the backup are mirrored when the service starts.');
  else say(`Events after ${data.head.takenAt} are lost. Start the service, then: watchledger verify, watchledger replay`);
}

/** Refuses files that do not belong together, or that this version cannot restore, before anything is written. */
export function refuseIncompatible(data: RestoreOrder['data'], keys: RestoreOrder['keys'], engine: BackupHead['engine']): void {
  if (data.head.part !== 'data') throw new BackupRefused(`${data.path} holds keys; name the file of the data first`);
  if (keys.head.part !== 'keys') throw new BackupRefused(`${keys.path} holds data; --keys names the file of the keys`);
  if (data.head.origin !== keys.head.origin) throw new BackupRefused(`${data.path} and ${keys.path} come from different installations`);
  if (keys.head.takenAt < data.head.takenAt)
    throw new BackupRefused(
      `the keys were copied before the data (${keys.head.takenAt} and ${data.head.takenAt}): accounts created in between could not be decrypted`,
    );
  const known = new Set(migrations.map(({ name }) => name));
  const later = [...data.head.migrations, ...keys.head.migrations].find((name) => !known.has(name));
  if (later !== undefined)
    throw new BackupRefused(
      `the backup was made by a later version (${data.head.program}, with the migration ${later}): restore it with that version`,
    );
  // Newer keys are restored into the older schema of the data; older keys might lack a table.
  if (data.head.migrations.some((name) => !keys.head.migrations.includes(name)))
    throw new BackupRefused('the keys were copied by an older version than the data: use a newer file of keys');
  if (data.head.engine !== engine)
    throw new BackupRefused(
      data.head.engine === 'kurrentdb'
        ? 'the events of this backup are in an external event store: set EVENTSTORE_URL to its address'
        : 'the events of this backup are in Postgres: restore it without EVENTSTORE_URL',
    );
}
