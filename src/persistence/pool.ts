import pg from 'pg';

export interface PoolOptions {
  /** Shows in `pg_stat_activity` as `watchledger <name>`. */
  readonly name: string;
  readonly max?: number;
  /** The server gives up a statement after this long; 0 lets it run (exports, rebuilds). */
  readonly statementTimeoutMs?: number;
  /** For rows that can be made again: a commit does not wait for the disk. */
  readonly synchronousCommit?: boolean;
  /** Whoever tries to change something is refused. */
  readonly readOnly?: boolean;
  /** An idle connection that breaks is no error of anybody; whoever wants to count it may. */
  readonly onError?: (error: Error) => void;
}

const CONNECT_MS = 5_000;
const IDLE_MS = 60_000;
/** A process that was stopped in the middle of a transaction must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Beyond the server's own limit: by then the network, not the statement, is what is stuck. */
const NETWORK_MARGIN_MS = 5_000;

export function connectionSettings(url: string, options: PoolOptions): pg.ClientConfig {
  const { name, statementTimeoutMs = 30_000, synchronousCommit = true, readOnly = false } = options;
  const settings = [
    // Whoever waits for a lock looks again behind it, whatever an operator made the rule for a database.
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

/** The only way to a pool: named, bounded in time, and safe against connections that break while idle. */
export function openPool(url: string, options: PoolOptions): pg.Pool {
  const { max = 10, onError = () => undefined } = options;
  const pool = new pg.Pool({ ...connectionSettings(url, options), max, idleTimeoutMillis: IDLE_MS });
  pool.on('error', onError);
  // A client that breaks while it is checked out emits the error too; its pending query rejects, which is where it is handled.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Injection token of the pool that serves requests. */
export const DATABASE = Symbol('Database');
