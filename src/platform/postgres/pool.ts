import pg from 'pg';
import { type ConnectionOptions, connectionSettings, STATEMENT_MS } from './connection-settings.ts';
import { clientClass, DatabaseClient, type DatabaseClientConfig } from './database-client.ts';
import { ConnectionSilent, type ConnectionWatch } from './connection-watch.ts';
import { watchedBy } from './watched-client.ts';

/** Resolves when a new connection may be used. */
type ConnectionCheck = (client: pg.Client) => Promise<void>;

interface ReplicaClientConfig extends DatabaseClientConfig {
  readonly admission: ConnectionCheck;
}

const admittedBy = (admission: ConnectionCheck) => ({ admission, ...clientClass(ReplicaClient) });

/** A connection that is admitted before its first use: a new one may reach another server than those before it. */
class ReplicaClient extends DatabaseClient {
  constructor(config: ReplicaClientConfig) {
    super(config);
    const connect: () => Promise<pg.Client> = this.connect.bind(this);
    this.replaceConnect(async () => {
      await connect();
      try {
        await config.admission(this);
        return this;
      } catch (error) {
        this.connection.stream.destroy();
        throw error;
      }
    });
  }
}

export interface PoolOptions extends ConnectionOptions {
  readonly max?: number;
  /** Closes connections that do not answer. */
  readonly watch?: ConnectionWatch | undefined;
  /** Admits new connections to a read replica. */
  readonly admission?: ConnectionCheck;
  /** Some statements lift the limit for themselves (`SET LOCAL statement_timeout = 0`): then only the server and the watch know the others' bounds. */
  readonly hasLongStatements?: boolean;
  /** Receives errors of idle connections, which fail no query. */
  readonly onError?: (error: Error) => void;
}

/** The driver's option for a single query, which its typings lack. */
export interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number;
}

const CANCEL_MS = 2_000;
const IDLE_MS = 60_000;
/** Beyond the server's own limit, the network has failed, not the statement. */
const NETWORK_MARGIN_MS = 5_000;

/** Every pool is opened here: named, with timeouts, watched, and safe against connections that break while idle. */
export function openPool(url: string, options: PoolOptions): pg.Pool {
  const { max = 10, onError = () => undefined, statementTimeoutMs = STATEMENT_MS, hasLongStatements = false } = options;
  const isBounded = statementTimeoutMs > 0 && !hasLongStatements;
  const pool = new pg.Pool({
    ...connectionSettings(url, options),
    ...(isBounded && { query_timeout: statementTimeoutMs + NETWORK_MARGIN_MS }),
    ...clientOf(options),
    max,
    idleTimeoutMillis: IDLE_MS,
  });
  pool.on('error', (error) => {
    // Reported by the watch, once for all connections.
    if (!(error instanceof ConnectionSilent)) onError(error);
  });
  // A client that breaks while checked out emits the error, too; its pending query rejects, where the error is handled.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('release', (error, client) => {
    if (isReadTimeout(error)) cancelAbandoned(pool, client);
  });
  return pool;
}

function clientOf({ watch, admission, statementTimeoutMs }: PoolOptions) {
  if (admission !== undefined) return admittedBy(admission);
  return watch === undefined ? clientClass(DatabaseClient) : watchedBy(watch, statementTimeoutMs === 0);
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

/** Injection token of the pool of the checker, so that no request waits behind what it reads and writes. */
export const CHECKER_DATABASE = Symbol('CheckerDatabase');

/** Injection token of the pool for observations that serves requests; the same where they have no database of their own. */
export const OBSERVATION_DATABASE = Symbol('ObservationDatabase');

/** Injection token of the pool for statements that only read what follows from the log: a GET may have them answered by a replica. */
export const READ_DATABASE = Symbol('ReadDatabase');

/** Injection token of the checker's pool for observations; likewise. */
export const CHECKER_OBSERVATION_DATABASE = Symbol('CheckerObservationDatabase');
