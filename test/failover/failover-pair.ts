import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TcpBalancer } from '../support/servers/tcp-balancer.ts';
import { until } from '../support/until.ts';
import { PostgresServer } from './postgres-server.ts';

export type Replication = 'synchronous' | 'asynchronous';

export const DATABASE = 'watchledger';
const SUPERVISION_MS = 30_000;

/** A primary, its streaming standby, and the balancer through which clients reach whichever is primary. */
export class FailoverPair {
  private servers = 1;

  private constructor(
    private readonly folder: string,
    readonly balancer: TcpBalancer,
    public primary: PostgresServer,
    private standby: PostgresServer,
    private replication: TcpBalancer,
  ) {}

  static async open(): Promise<FailoverPair> {
    const folder = mkdtempSync(join(tmpdir(), 'watchledger-failover-'));
    const primary = await PostgresServer.primary(join(folder, '0'));
    await primary.run(`CREATE DATABASE ${DATABASE}`);
    const replication = await TcpBalancer.before(primary.port);
    const standby = await PostgresServer.standbyOf(primary, join(folder, '1'), replication.port);
    return new FailoverPair(folder, await TcpBalancer.before(primary.port), primary, standby, replication);
  }

  /** Through the balancer. */
  get url(): string {
    return this.balancer.through(this.primary.url(DATABASE));
  }

  async replicate(how: Replication): Promise<void> {
    await this.primary.synchronous(how === 'synchronous');
    await until(() => this.isInStep(how), SUPERVISION_MS, `the ${how} standby in step`);
  }

  /** From now on nothing reaches the standby any more. */
  cutReplication(): void {
    this.replication.blackHole();
  }

  /** The standby becomes the primary; the balancer does not know it yet. Answers the former primary. */
  async promote(): Promise<PostgresServer> {
    await this.standby.promote();
    const former = this.primary;
    this.primary = this.standby;
    return former;
  }

  /** A new standby of the present primary in place of the former one, which is gone. */
  async restore(former: PostgresServer): Promise<void> {
    await former.kill();
    await former.remove();
    await this.replication.close();
    this.replication = await TcpBalancer.before(this.primary.port);
    this.standby = await PostgresServer.standbyOf(this.primary, join(this.folder, String(++this.servers)), this.replication.port);
  }

  async close(): Promise<void> {
    await this.balancer.close();
    await this.replication.close();
    for (const server of [this.standby, this.primary]) {
      server.resume();
      await server.remove();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async isInStep(how: Replication): Promise<boolean> {
    const rows = await this.primary.run<{ fits: boolean }>(
      `SELECT sync_state = '${how === 'synchronous' ? 'sync' : 'async'}' AND state = 'streaming' AS fits FROM pg_stat_replication`,
    );
    return rows[0]?.fits === true;
  }
}
