import type pg from 'pg';
import { clientClass, DatabaseClient, type DatabaseClientConfig } from '../database-client.ts';

/** Resolves when a new connection may be used. */
export type ConnectionCheck = (client: pg.Client) => Promise<void>;

interface ReplicaClientConfig extends DatabaseClientConfig {
  readonly admission: ConnectionCheck;
}

export const admittedBy = (admission: ConnectionCheck) => ({ admission, ...clientClass(ReplicaClient) });

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
