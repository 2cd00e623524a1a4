import type { DatabaseClientConfig } from './database-client.ts';

export interface DatabaseLogin {
  readonly role: string;
  readonly password: string;
}

export interface ConnectionOptions {
  /** Shows in `pg_stat_activity` as `watchledger <name>`. */
  readonly name: string;
  /** The server cancels a statement after this time; 0 disables the limit (exports, replays). */
  readonly statementTimeoutMs?: number;
  /** The server ends a transaction that its client has left alone for so long; 0 disables the limit. */
  readonly idleInTransactionMs?: number;
  /** False for rows that can be recomputed: a commit does not wait for the disk. */
  readonly synchronousCommit?: boolean;
  /** Logs in with this role instead of that of the address. */
  readonly login?: DatabaseLogin | undefined;
  /** Statements that change something fail. */
  readonly readOnly?: boolean;
  /** How long opening a connection, or waiting for one of a pool, may take. */
  readonly connectMs?: number;
}

const CONNECT_MS = 5_000;
/** The first probe of an idle connection by the kernel. libuv sends nine more, a second apart, before the connection is closed. */
const KEEP_ALIVE_MS = 2_000;
/** A process suspended in the middle of a transaction must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 10_000;

export const STATEMENT_MS = 30_000;

export function connectionSettings(url: string, options: ConnectionOptions): DatabaseClientConfig {
  const {
    name,
    statementTimeoutMs = STATEMENT_MS,
    idleInTransactionMs = IDLE_IN_TRANSACTION_MS,
    synchronousCommit = true,
    readOnly = false,
    connectMs = CONNECT_MS,
    login,
  } = options;
  return {
    connectionString: login === undefined ? url : urlOf(url, login),
    application_name: `watchledger ${name}`,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    session: {
      // Code that waits for a lock reads again afterwards, whatever default an operator has set for the database.
      default_transaction_isolation: 'read committed',
      idle_in_transaction_session_timeout: String(idleInTransactionMs),
      ...(synchronousCommit ? {} : { synchronous_commit: 'off' }),
      ...(readOnly ? { default_transaction_read_only: 'on' } : {}),
      // Also where a role or a database has a limit of its own, which would end a backup or a replay.
      statement_timeout: String(statementTimeoutMs),
    },
  };
}

const SCHEME = /^postgres(?:ql)?:\/\//;

const urlOf = (url: string, { role, password }: DatabaseLogin): string =>
  withoutLogin(url).replace(SCHEME, (scheme) => `${scheme}${encodeURIComponent(role)}:${encodeURIComponent(password)}@`);

/** The address alone: the driver takes a login before the host, and one among the parameters, which would win. By text, because an address with several hosts is not a URL. */
export function withoutLogin(url: string): string {
  const [address = '', query = ''] = url.replace(/^(postgres(?:ql)?:\/\/)[^/?#]*@/, '$1').split(/\?(.*)/s);
  const kept = query.split('&').filter((pair) => !['user', 'password'].includes([...new URLSearchParams(pair).keys()][0] ?? ''));
  return kept.join('&') === '' ? address : `${address}?${kept.join('&')}`;
}
