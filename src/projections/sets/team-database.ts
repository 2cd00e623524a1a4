import type pg from 'pg';
import type { ConnectionWatch } from '../../persistence/connection-watch.ts';
import { openPool } from '../../persistence/pool.ts';
import { codeOf } from '../../kernel/system-error.ts';
import { ensureTeamRole, TEAM_ROLE_LIMITS } from './team-role.ts';

/** Where the SQL of a team's projection runs. */
export interface TeamDatabase {
  readonly pool: pg.Pool;
  /** Null: with the account of the service. */
  readonly role: string | null;
}

export interface TeamDatabaseOptions {
  readonly url: string;
  readonly watch?: ConnectionWatch | undefined;
  /** The passwords of the roles are derived from it. */
  readonly secret: () => Promise<Uint8Array>;
  /** The SQL of this projection runs with the account of the service, for this reason. */
  readonly onSharedAccount: (projection: string, reason: string) => void;
}

/** One follows the log, one fills a rebuild. */
const CONNECTIONS = 2;
/** `insufficient_privilege`, and a login that the server or a pooler in front of it refuses. */
const NO_ROLE = /^(42501|28\d{3}|08P01)$/;

/** Logs in with a role of its own; `service` where the account of the service may not create roles, or a pooler does not accept them. */
export async function openTeamDatabase(options: TeamDatabaseOptions, projection: string, service: pg.Pool): Promise<TeamDatabase> {
  const { url, watch, secret, onSharedAccount } = options;
  let pool: pg.Pool | undefined;
  try {
    const login = await ensureTeamRole(service, projection, await secret());
    pool = openPool(url, {
      ...{ name: `team ${projection}`, max: CONNECTIONS, synchronousCommit: false, watch, login },
      // Creating its tables may wait for another instance.
      ...{ statementTimeoutMs: TEAM_ROLE_LIMITS.statementSeconds * 1_000, hasLongStatements: true },
    });
    await pool.query('SELECT');
    return { pool, role: login.role };
  } catch (error) {
    await pool?.end();
    if (!NO_ROLE.test(codeOf(error) ?? '')) throw error;
    onSharedAccount(projection, error instanceof Error ? error.message : String(error));
    return { pool: service, role: null };
  }
}
