import pg from 'pg';

export interface PoolOptions {
  /** Shows in `pg_stat_activity` as `watchledger <name>`. */
  readonly name: string;
  readonly max?: number;
  /** The server cancels a statement after this time; 0 disables the limit (exports, rebuilds). */
  readonly statementTimeoutMs?: number;
  /** False for rows that can be recomputed: a commit does not wait for the disk. */
  readonly synchronousCommit?: boolean;
  /** Statements that change something fail. */
  readonly readOnly?: boolean;
  /** Receives errors of idle connections, which fail no query. */
  readonly onError?: (error: Error) => void;
}

/** The driver's option for a single query, which its typings lack. */
export interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number;
}

const CONNECT_MS = 5_000;
const CANCEL_MS = 2_000;
const IDLE_MS = 60_000;
/** A process suspended in the middle of a transaction must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Beyond the server's own limit, the network has failed, not the statement. */
const NETWORK_MARGIN_MS = 5_000;

export function connectionSettings(url: string, options: PoolOptions): pg.ClientConfig {
  const { name, statementTimeoutMs = 30_000, synchronousCommit = true, readOnly = false } = options;
  const settings = [
    // Code that waits for a lock reads again afterwards, whatever default an operator has set for the database.
    '-c default_transaction_isolation=read\\ committed',
    ...(synchronousCommit ? [] : ['-c synchronous_commit=off']),
    ...(readOnly ? ['-c default_transaction_read_only=on'] : []),
  ];
  return {
    connectionString: url,
    application_name: `watchledger ${name}`,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(statementTimeoutMs > 0 && { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + NETWORK_MARGIN_MS }),
    options: settings.join(' '),
  };
}

/** Every pool is opened here: named, with timeouts, and safe against connections that break while idle. */
export function openPool(url: string, options: PoolOptions): pg.Pool {
  const { max = 10, onError = () => undefined } = options;
  const pool = new pg.Pool({ ...connectionSettings(url, options), max, idleTimeoutMillis: IDLE_MS });
  pool.on('error', onError);
  // A client that breaks while checked out emits the error, too; its pending query rejects, where the error is handled.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('release', (error, client) => {
    if (isReadTimeout(error)) cancelAbandoned(pool, client);
  });
  return pool;
}

const isReadTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/**
 * Ends the statement of a connection that was given up. A server that waits for a synchronous standby, under no statement timeout, notices neither the
 * closed connection nor the end of our patience, and such sessions would use up its connections.
 */
function cancelAbandoned(pool: pg.Pool, { processID }: pg.PoolClient & { readonly processID?: number }): void {
  const query: TimedQuery = {
    text: `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = current_setting('application_name')`,
    values: [processID],
    query_timeout: CANCEL_MS,
  };
  pool.query(query).catch(() => undefined);
}

/** Injection token of the pool that serves requests. */
export const DATABASE = Symbol('Database');
