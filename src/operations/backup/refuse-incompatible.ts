import { migrations } from '../../app/migration-table.ts';
import type { BackupHead } from './backup-head.ts';
import { BackupRefused } from './backup-refused.ts';
import type { RestoreOrder } from './restore-order.ts';

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
