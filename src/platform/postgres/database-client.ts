import { hostUrls } from '../config/values.ts';
import pg from 'pg';

/** What the connections of this process know of the hosts: a failed connection moves all of them on to the next. */
export class DatabaseHosts {
  private static readonly known = new Map<string, DatabaseHosts>();
  private index = 0;

  private constructor(private readonly urls: readonly string[]) {}

  static of(url: string): DatabaseHosts {
    const hosts = this.known.get(url) ?? new DatabaseHosts(hostUrls(url));
    this.known.set(url, hosts);
    return hosts;
  }

  get areSeveral(): boolean {
    return this.urls.length > 1;
  }

  get current(): string {
    return this.urls[this.index] ?? '';
  }

  /** Several connections fail at once, and move on by one host only. */
  skip(failed: string): void {
    if (failed === this.current) this.index = (this.index + 1) % this.urls.length;
  }
}

export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Settings of the session. */
  readonly session?: Readonly<Record<string, string>>;
}

const APPLY = `SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS setting (name, value)`;

const TAKES_WRITES = `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS yes`;

/** A host of several that only reads. A retry connects to the next one. */
export class HostOnlyReads extends Error {
  override readonly name = 'HostOnlyReads';
  /** `read_only_sql_transaction` */
  readonly code = '25006';
}

/**
 * Applies its settings by a statement: PgBouncer refuses a connection that brings them as start-up parameters. Of several hosts it uses one that takes writes;
 * when it fails, the next connection goes to the next host.
 */
export class DatabaseClient extends pg.Client {
  constructor(config: DatabaseClientConfig) {
    const hosts = DatabaseHosts.of(config.connectionString ?? '');
    const host = hosts.current;
    super({ ...config, connectionString: host });
    // A connection may break before its pool listens; without a listener its error would end the process.
    this.on('error', () => undefined);
    const connect: () => Promise<pg.Client> = this.connect.bind(this);
    const open = async (): Promise<pg.Client> => {
      try {
        await connect();
        await this.prepareSession(config.session ?? {}, hosts.areSeveral);
        return this;
      } catch (error) {
        hosts.skip(host);
        this.connection.stream.destroy();
        throw error;
      }
    };
    this.replaceConnect(open);
  }

  /** A property in place of a method: the overloads of `pg` cannot be overridden in a class. */
  protected replaceConnect(open: () => Promise<pg.Client>): void {
    this.connect = ((callback?: (error: unknown, client?: pg.Client) => void) => {
      if (callback === undefined) return open();
      open().then((client) => {
        callback(null, client);
      }, callback);
      return undefined;
    }) as typeof this.connect;
  }

  private async prepareSession(session: Readonly<Record<string, string>>, mustTakeWrites: boolean): Promise<void> {
    await this.query(APPLY, [Object.keys(session), Object.values(session)]);
    if (!mustTakeWrites) return;
    const { rows } = await this.query<{ yes: boolean }>(TAKES_WRITES);
    if (rows[0]?.yes !== true) throw new HostOnlyReads(`${this.host}, port ${String(this.port)}, takes no writes`);
  }
}

/** Options of a pool, which hands all of them to the constructor of its clients; its types do not say so. */
export const clientClass = (of: new (config: never) => pg.Client) => ({ Client: of as unknown as new () => pg.Client });
