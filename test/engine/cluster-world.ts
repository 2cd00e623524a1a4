import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedDatabase } from '../../src/operations/embedded-postgres/embedded-database.ts';
import { ADMIN } from '../faults/service/retrying-client.ts';
import { ServiceInstance } from '../faults/service/service-instance.ts';
import { TEAM } from '../faults/service/team-projections.ts';
import { EventStoreCluster } from '../support/servers/event-store-cluster.ts';

/** The service on a Postgres and a cluster of three real servers of events. */
export class ClusterWorld {
  private constructor(
    readonly folder: string,
    readonly database: EmbeddedDatabase,
    readonly cluster: EventStoreCluster,
    readonly env: Readonly<Record<string, string>> & { readonly MASTER_KEY: string },
    readonly service: ServiceInstance,
  ) {}

  static async open(command: string): Promise<ClusterWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'watchledger-engine-'));
    const database = await EmbeddedDatabase.start({ dataDir: join(folder, 'data') });
    const cluster = await EventStoreCluster.open(command).catch(async (error: unknown) => {
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    });
    const env = {
      DATABASE_URL: database.url,
      EVENTSTORE_URL: cluster.url(),
      MASTER_KEY: randomBytes(32).toString('hex'),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      RATE_LIMIT: '0',
      ALLOW_TARGETS: '127.0.0.0/8',
      ALLOW_HOOKS: '127.0.0.0/8',
      REGISTRATION: 'open',
      REGISTRATION_LIMIT: '0',
      PROJECTIONS: TEAM,
      LOG_LEVEL: 'info',
    };
    const world = new ClusterWorld(folder, database, cluster, env, new ServiceInstance(folder, env));
    // Cleans up when the test is interrupted.
    const end = (): void => void world.close().finally(() => process.exit(1));
    process.once('SIGINT', end).once('SIGTERM', end);
    try {
      await world.service.ready();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  async close(): Promise<void> {
    await this.service.end();
    await this.cluster.close();
    await this.database.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
