import { createHash, createHmac, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import type pg from 'pg';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import type { DatabaseLogin } from '../../platform/postgres/connection-settings.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { publicSchemaOf } from '../../platform/read-models/engine/schema-names.ts';
import { nameIn } from '../../platform/read-models/engine/schemas.ts';
import { TEAM_ROLE_LIMITS } from '../team-limits.ts';

/** What a role is created for: the events that it may read are those that the projection handles. */
export interface RoleProjection {
  readonly name: string;
  readonly version: number;
  readonly handles: readonly string[];
}

const ITERATIONS = 4096;

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Roles belong to the whole server, so their names include the database; session-guard.ts computes the same in SQL. */
const teamRolePrefix = (database: string): string => `watchledger_${short(database)}_`;

/** The name of the role of a package's routes, which no projection has, because no name of a projection begins with an underscore. */
const tablesRoleOf = (database: string, projections: readonly RoleProjection[]): string =>
  `${teamRolePrefix(database)}_tables_${short(projections.map(({ name }) => name).join())}`;

/**
 * Creates or updates the role of a projection: it owns the schemas of the projection, reads the events that it handles, and sees its own rows of the tables of checkpoints
 * (row-level security). Rights stand on columns where they can, because a right on a whole table also locks it. Rejects with `insufficient_privilege` where the account of the
 * service may not create roles.
 */
export function ensureTeamRole(db: pg.Pool, projection: RoleProjection, secret: Uint8Array): Promise<DatabaseLogin> {
  return inRoleTransaction(db, async (client, database) => {
    const role = `${teamRolePrefix(database)}${projection.name}`;
    const login = await ensureLogin(client, database, role, secret);
    await allowReading(client, role, [projection]);
    await client.query(`GRANT SELECT, UPDATE (n, event_id, moved_at, rebuild, total) ON public.projection TO "${role}"`);
    await client.query(`REVOKE ALL ON public.projection_parked FROM "${role}"`);
    const columns = 'schema, view, key, scope, n, event_id, type, error, attempts, retry';
    await client.query(`GRANT SELECT, INSERT (${columns}), UPDATE (${columns}) ON public.projection_parked TO "${role}"`);
    return login;
  });
}

/** The role of the routes of a package: reads the published tables of its projections, and the events that they handle. */
export function ensureTablesRole(db: pg.Pool, projections: readonly RoleProjection[], secret: Uint8Array): Promise<DatabaseLogin> {
  return inRoleTransaction(db, async (client, database) => {
    const role = tablesRoleOf(database, projections);
    const login = await ensureLogin(client, database, role, secret);
    await allowReading(client, role, projections);
    for (const schema of projections.map(publicSchemaOf)) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
      await client.query(`GRANT USAGE ON SCHEMA "${schema}" TO "${role}"`);
      await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`);
      // A publication makes the views anew.
      await client.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA "${schema}" GRANT SELECT ON TABLES TO "${role}"`);
    }
    return login;
  });
}

/** Drops the role of a projection whose schemas are dropped, and what is known of its process; the role stays when the account of the service may not drop it. */
export async function forgetTeam(client: pg.PoolClient, name: string): Promise<void> {
  const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
  const role = `${teamRolePrefix(rows[0]?.database ?? '')}${name}`;
  await client.query('DELETE FROM team_process WHERE projection = $1', [name]);
  await client.query('DELETE FROM team_reads WHERE projection = $1', [name]);
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount === 0) return;
  await client.query('SAVEPOINT role');
  try {
    await client.query(`DROP OWNED BY "${role}"`);
    await client.query(`DROP ROLE "${role}"`);
  } catch {
    // Nothing logs in with it: its password is known to instances that run the projection alone.
    await client.query('ROLLBACK TO SAVEPOINT role');
  }
}

/** Roles are rows that two instances must not change at the same time. */
const inRoleTransaction = <Result>(db: pg.Pool, work: (client: pg.PoolClient, database: string) => Promise<Result>): Promise<Result> =>
  inTransaction(db, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(${String(ADVISORY_LOCKS.projectionSchemas)})`);
    const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
    return work(client, rows[0]?.database ?? '');
  });

/** Logs in with a password that every instance derives from the same secret. */
async function ensureLogin(client: pg.PoolClient, database: string, role: string, secret: Uint8Array): Promise<DatabaseLogin> {
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
  await client.query(`GRANT CONNECT, TEMPORARY ON DATABASE "${database.replaceAll('"', '""')}" TO "${role}"`);
  await client.query(`GRANT USAGE ON SCHEMA public TO "${role}"`);
  return { role, password };
}

/** The events that the versions of a projection handle whose tables exist, this one's included: an instance may still run an older one. */
async function allowReading(client: pg.PoolClient, role: string, projections: readonly RoleProjection[]): Promise<void> {
  const functions = ['team_types()', 'team_log(bigint, bigint, bigint)', 'team_log_of_scope(text, bigint, bigint, bigint, text[], bigint)'];
  for (const name of functions) await client.query(`GRANT EXECUTE ON FUNCTION public.${name} TO "${role}"`);
  for (const { name, version, handles } of projections) {
    await client.query(
      `DELETE FROM team_reads WHERE role = $1 AND projection = $2
         AND NOT EXISTS (SELECT FROM projection WHERE projection.name = $2 AND projection.version = team_reads.version::text)`,
      [role, name],
    );
    await client.query(
      `INSERT INTO team_reads VALUES ($1, $2, $3, $4) ON CONFLICT (role, projection, version) DO UPDATE SET types = excluded.types`,
      [role, name, version, handles],
    );
  }
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
  for (const { name } of rows) await client.query(`ALTER TABLE ${nameIn(schema, name)} OWNER TO "${role}"`);
}

/** RFC 5802: what the server stores, so that no statement and no log of the server has the password. */
async function scramVerifier(password: string, salt: Buffer): Promise<string> {
  const salted = await promisify(pbkdf2)(password, salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${String(ITERATIONS)}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
