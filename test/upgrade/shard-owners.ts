import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const EVERY_MS = 100;
/** As the product sees it: a lease counts while the connection of its holder lives. */
const OWNED = `SELECT l.name, l.pid FROM lease l JOIN pg_stat_activity a ON a.pid = l.pid AND a.backend_start = l.backend_start
  WHERE l.holder IS NOT NULL AND l.name LIKE 'checker %' ORDER BY 1`;

/** Keeps looking who owns the shards. A project would have two owners while shards of two numberings of a location are held: `checker eu 3` and `checker eu 3/64`. */
export class ShardOwners {
  /** Moments in which shards of both numberings were held. */
  readonly conflicts: string[] = [];
  /** How many shards each connection holds. */
  private shares = new Map<number, number>();
  private isWatching = true;
  private readonly watching: Promise<void>;

  constructor(private readonly pool: pg.Pool) {
    this.watching = this.watch();
  }

  /** Whether so many processes share the shards. */
  areShared(among: number): boolean {
    return this.shares.size === among;
  }

  get summary(): string {
    return [...this.shares.values()].map(String).join(' + ');
  }

  async stop(): Promise<void> {
    this.isWatching = false;
    await this.watching;
  }

  private async watch(): Promise<void> {
    while (this.isWatching) {
      const { rows } = await this.pool.query<{ name: string; pid: number }>(OWNED);
      const shares = new Map<number, number>();
      for (const { pid } of rows) shares.set(pid, (shares.get(pid) ?? 0) + 1);
      this.shares = shares;
      this.compare(rows.map(({ name }) => name));
      await sleep(EVERY_MS);
    }
  }

  private compare(held: readonly string[]): void {
    const numberings = new Map<string, string>();
    for (const name of held) {
      const [, location = '', shard = ''] = name.split(' ');
      const [, numbering = '16'] = shard.split('/');
      const other = numberings.get(location) ?? numbering;
      if (other !== numbering) this.conflicts.push(`${name} was held beside shards of ${other} in its location`);
      numberings.set(location, numbering);
    }
  }
}
