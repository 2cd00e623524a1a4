import { type Migration, runMigrations } from '../platform/postgres/migrations/migrate.ts';
import { ACCOUNT_TABLES } from '../accounts/accounts.tables.ts';
import { ALERT_TABLES } from '../alerts/alerts.tables.ts';
import { CONSUMER_TABLES } from '../platform/consumers/consumers.tables.ts';
import { CHECKER_TABLES } from '../checker/checker.tables.ts';
import { HISTORY_TABLES } from '../history/history.tables.ts';
import { LOG_TABLES } from '../platform/log/log.tables.ts';
import { homeMigrations, schemaMigrations } from '../platform/observations/observations.tables.ts';
import { POSTGRES_TABLES } from '../platform/postgres/migrations/postgres.tables.ts';
import { PROJECT_TABLES } from '../projects/projects.tables.ts';
import { PROOF_TABLES } from '../proof/proof.tables.ts';
import { READ_MODEL_TABLES } from '../platform/read-models/read-models.tables.ts';
import { SECURITY_TABLES } from '../platform/security/security.tables.ts';
import { STATUS_PAGE_TABLES } from '../status-pages/status-pages.tables.ts';
import { STREAM_TABLES } from '../streams/streams.tables.ts';
import { TEAM_TABLES } from '../teams/teams.tables.ts';

/** In order, each on those before it; a released migration is never edited, a change is a new one. */
export const migrations: readonly Migration[] = [
  { name: 'Log1700000001000', sql: LOG_TABLES },
  { name: 'ReadModels1700000002000', sql: READ_MODEL_TABLES },
  { name: 'Postgres1700000003000', sql: POSTGRES_TABLES },
  { name: 'Security1700000004000', sql: SECURITY_TABLES },
  { name: 'Accounts1700000005000', sql: ACCOUNT_TABLES },
  { name: 'Projects1700000006000', sql: PROJECT_TABLES },
  { name: 'Checker1700000007000', sql: CHECKER_TABLES },
  { name: 'Alerts1700000008000', sql: ALERT_TABLES },
  { name: 'History1700000009000', sql: HISTORY_TABLES },
  { name: 'Proof1700000010000', sql: PROOF_TABLES },
  { name: 'StatusPages1700000011000', sql: STATUS_PAGE_TABLES },
  { name: 'Streams1700000012000', sql: STREAM_TABLES },
  ...schemaMigrations,
  ...homeMigrations,
  { name: 'Teams1700000015000', sql: TEAM_TABLES },
  { name: 'Consumers1700000016000', sql: CONSUMER_TABLES },
];

/** Brings the database of the log to the schema of this version. `names`: those of a backup of an older version. */
export const migrate = (url: string, names?: readonly string[]): Promise<readonly string[]> => runMigrations(url, migrations, names);
