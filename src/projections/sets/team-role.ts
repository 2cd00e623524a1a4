import { createHash, createHmac, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import type pg from 'pg';
import { ADVISORY_LOCKS } from '../../persistence/advisory-locks.ts';
import type { DatabaseLogin } from '../../persistence/connection-settings.ts';
import { inTransaction } from '../../persistence/transaction.ts';

/** The database role of one projection of a team, as wide as its handlers need it. */
export const TEAM_ROLE_LIMITS = {
  /** Two instances side by side, each with one connection that follows the log and one that fills a rebuild, and as many that have not ended yet. */
  connections: 8,
  statementSeconds: 10,
} as const;

const ITERATIONS = 4096;

/** Roles belong to the whole server, so their names include the database. */
const teamRoleOf = (database: string, projection: string): string =>
  `watchledger_${createHash('sha256').update(database).digest('hex').slice(0, 8)}_${projection}`;

/**
 * Creates or updates the role: it logs in with a password that every instance derives from the same secret, sees its own rows of the tables of checkpoints (row-level
 * security), and nothing else of `public`. Rejects with `insufficient_privilege` where the account of the service may not create roles.
 */
export async function ensureTeamRole(db: pg.Pool, projection: string, secret: Uint8Array): Promise<DatabaseLogin> {
  return inTransaction(db, async (client) => {
    // Roles are rows that two instances must not change at the same time.
    await client.query(`SELECT pg_advisory_xact_lock(${String(ADVISORY_LOCKS.projectionSchemas)})`);
    const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
    const database = rows[0]?.database ?? '';
    const role = teamRoleOf(database, projection);
    const password = createHmac('sha256', secret).update(`password ${role}`).digest('base64url');
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    if (rowCount === 0) await client.query(`CREATE ROLE "${role}"`);
    const salt = createHmac('sha256', secret).update(`salt ${role}`).digest().subarray(0, 16);
    const { connections, statementSeconds } = TEAM_ROLE_LIMITS;
    await client.query(
      `ALTER ROLE "${role}" LOGIN CONNECTION LIMIT ${String(connections)} PASSWORD '${await scramVerifier(password, salt)}'`,
    );
    await client.query(`ALTER ROLE "${role}" SET statement_timeout = '${String(statementSeconds)}s'`);
    // Creates, renames and drops its schemas as a member of it.
    await client.query(`GRANT "${role}" TO CURRENT_USER`);
    await client.query(`GRANT CONNECT ON DATABASE "${database.replaceAll('"', '""')}" TO "${role}"`);
    await client.query(`GRANT USAGE ON SCHEMA public TO "${role}"`);
    await client.query(`GRANT SELECT, UPDATE (n, event_id, moved_at, rebuild) ON public.projection TO "${role}"`);
    await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON public.projection_parked TO "${role}"`);
    return { role, password };
  });
}

/** Hands a schema and its tables to the role, also those that were created without it, or restored. */
export async function giveSchema(client: pg.PoolClient, schema: string, role: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1 AND pg_get_userbyid(nspowner) <> $2', [
    schema,
    role,
  ]);
  if (rowCount === 0) return;
  await client.query(`ALTER SCHEMA "${schema}" OWNER TO "${role}"`);
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class c WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relkind IN ('r', 'p', 'v', 'm', 'S')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i') AND relkind = 'S')`,
    [schema],
  );
  for (const { name } of rows) await client.query(`ALTER TABLE "${schema}"."${name}" OWNER TO "${role}"`);
}

/** RFC 5802: what the server stores, so that no statement and no log of the server has the password. */
async function scramVerifier(password: string, salt: Buffer): Promise<string> {
  const salted = await promisify(pbkdf2)(password, salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${String(ITERATIONS)}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
