import pg from 'pg';
import { clientClass, DatabaseClient, type DatabaseClientConfig } from './database-client.ts';
import type { ConnectionSilent, ConnectionWatch, PendingStatement, WatchedConnection } from './connection-watch.ts';

export interface WatchedClientConfig extends DatabaseClientConfig {
  readonly watch: ConnectionWatch;
  /** Waits for a server that does not answer, as a replay does, unless another server has taken its place. */
  readonly patient?: boolean;
}

const GOODBYE_MS = 1_000;

/** Identifies the backend of this connection. The time tells two backends with the same process id apart, on one server or two. */
const OWN_BACKEND = `SELECT pid || ' ' || extract(epoch FROM backend_start) AS backend FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

/**
 * The other direction: the server ends a session, and with it its locks, whose client has vanished. In seconds, then milliseconds. Some platforms
 * and hosters refuse one of them.
 */
const SERVER_SIDE = `SELECT set_config(name, value, false) FROM (VALUES ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'),
  ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '20000'), ('client_connection_check_interval', '5000')) AS setting (name, value)`;

export const watchedBy = (watch: ConnectionWatch, patient = false) => ({ watch, patient, ...clientClass(WatchedClient) });

/** A connection that a `ConnectionWatch` can judge and discard. */
export class WatchedClient extends DatabaseClient implements WatchedConnection {
  readonly openedAt = performance.now();
  readonly isPatient: boolean;
  backend: string | null = null;
  statement: PendingStatement | null = null;

  constructor(config: WatchedClientConfig) {
    super(config);
    const { watch, patient = false } = config;
    this.isPatient = patient;
    this.on('error', () => undefined);
    this.on('drain', () => (this.statement = null));
    this.once('end', () => {
      watch.forget(this);
    });
    this.overrideQuery();
    this.overrideConnect(watch);
    this.overrideEnd();
  }

  get bytesRead(): number {
    return 'bytesRead' in this.connection.stream ? Number(this.connection.stream.bytesRead) : 0;
  }

  discard(reason: ConnectionSilent): void {
    this.connection.stream.destroy(reason);
  }

  /** Properties in place of methods: the overloads of `pg` cannot be overridden in a class. */
  private overrideQuery(): void {
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      const [first] = args;
      const isCopy = typeof first === 'object' && first !== null && 'submit' in first;
      this.statement ??= { since: performance.now(), isCopy };
      return query(...args);
    }) as typeof this.query;
  }

  private overrideConnect(watch: ConnectionWatch): void {
    const connect: () => Promise<pg.Client> = this.connect.bind(this);
    const open = async (): Promise<pg.Client> => {
      watch.add(this);
      try {
        await connect();
        await this.query(SERVER_SIDE).catch((error: unknown) => {
          if (!(error instanceof pg.DatabaseError)) throw error;
        });
        const { rows } = await this.query<{ backend: string }>(OWN_BACKEND);
        this.backend = rows[0]?.backend ?? null;
        return this;
      } catch (error) {
        watch.forget(this);
        this.connection.stream.destroy();
        throw error;
      }
    };
    this.replaceConnect(open);
  }

  /** A server that does not answer does not close the connection either. */
  private overrideEnd(): void {
    const end = this.end.bind(this) as (...args: unknown[]) => unknown;
    this.end = ((...args: unknown[]) => {
      const timer = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref();
      this.once('end', () => {
        clearTimeout(timer);
      });
      return end(...args);
    }) as typeof this.end;
  }
}
