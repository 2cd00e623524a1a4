import { migrations } from '../migrations/migration-table.ts';
import type { BackupHead } from './backup-head.ts';
import { BackupRefused } from './backup-refused.ts';
import type { RestoreOrder } from './restore-order.ts';

/** Whether this program can take it, before anything is touched. */
export function refuseMisfits(data: RestoreOrder['data'], keys: RestoreOrder['keys'], engine: BackupHead['engine']): void {
  if (data.head.part !== 'data') throw new BackupRefused(`${data.path} holds keys; name the file of the data first`);
  if (keys.head.part !== 'keys') throw new BackupRefused(`${keys.path} holds data; --keys names the file of the keys`);
  if (data.head.origin !== keys.head.origin) throw new BackupRefused(`${data.path} and ${keys.path} are of two installations`);
  if (keys.head.takenAt < data.head.takenAt)
    throw new BackupRefused(
      `the keys were copied before the data (${keys.head.takenAt} and ${data.head.takenAt}): accounts of the time between could not be read`,
    );
  const known = new Set(migrations.map(({ name }) => name));
  const later = [...data.head.migrations, ...keys.head.migrations].find((name) => !known.has(name));
  if (later !== undefined)
    throw new BackupRefused(
      `the backup was made by a later version (${data.head.program}; it knows ${later}): restore it with that version`,
    );
  // The newest keys are wanted for all older data: what they say is put into the tables of that time, if it fits.
  if (data.head.migrations.some((name) => !keys.head.migrations.includes(name)))
    throw new BackupRefused('the keys were copied by an older version than the data: take newer ones');
  if (data.head.engine !== engine)
    throw new BackupRefused(
      data.head.engine === 'kurrentdb'
        ? 'the events of this backup are kept by an event store: set EVENTSTORE_URL to it'
        : 'the events of this backup were kept in Postgres: restore it without EVENTSTORE_URL',
    );
}
