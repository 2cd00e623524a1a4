import pg from 'pg';

export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Settings of the session. */
  readonly session?: Readonly<Record<string, string>>;
}

const APPLY = `SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS setting (name, value)`;

/** Applies its settings by a statement: PgBouncer refuses a connection that brings them as start-up parameters. */
export class DatabaseClient extends pg.Client {
  constructor(config: DatabaseClientConfig) {
    super(config);
    // Of a connection that breaks before its pool listens.
    this.on('error', () => undefined);
    const connect: () => Promise<pg.Client> = this.connect.bind(this);
    const { session = {} } = config;
    const open = async (): Promise<pg.Client> => {
      await connect();
      try {
        await this.query(APPLY, [Object.keys(session), Object.values(session)]);
      } catch (error) {
        this.connection.stream.destroy();
        throw error;
      }
      return this;
    };
    // A property in place of a method: the overloads of `pg` cannot be overridden in a class.
    this.connect = ((callback?: (error: unknown, client?: pg.Client) => void) => {
      if (callback === undefined) return open();
      open().then((client) => {
        callback(null, client);
      }, callback);
      return undefined;
    }) as typeof this.connect;
  }
}

/** Options of a pool, which hands all of them to the constructor of its clients; its types do not say so. */
export const clientClass = (of: new (config: never) => pg.Client) => ({ Client: of as unknown as new () => pg.Client });
