import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { BatchedLookup } from '../../platform/postgres/batched-lookup.ts';
import { type Config, CONFIG } from '../../platform/config/config.ts';

/** The part of a request that states the address in its browser. */
interface UsedAddress {
  readonly protocol: string;
  readonly host: string;
}

/**
 * Where a person reaches the console, for links in messages: `PUBLIC_URL`, else the address at which they last signed in to it, else that of the administrator
 * who did last. A client can forge its host header, so it counts only once the sign-in has succeeded, and for other people only from an administrator.
 */
@Injectable()
export class ConsoleAddresses {
  /** Alerts of one failure ask for all of their recipients. */
  private readonly origins = new BatchedLookup((userIds) => this.originsOf(userIds));

  constructor(
    private readonly pool: pg.Pool,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
  ) {}

  async add(userId: number, role: string | null, { protocol, host }: UsedAddress): Promise<void> {
    await this.pool.query(
      `INSERT INTO console_address (user_id, origin, of_admin) VALUES ($1, $2, $3)
       ON CONFLICT (user_id) DO UPDATE SET origin = excluded.origin, of_admin = excluded.of_admin, used_at = now()`,
      [userId, new URL(`${protocol}://${host}`).origin, role === 'admin'],
    );
  }

  /** Without a slash at its end. Null: the person has not signed in to the console, nor has an administrator. */
  async of(userId: number): Promise<string | null> {
    if (this.config.publicUrl !== undefined) return this.config.publicUrl;
    return (await this.origins.load(String(userId))) ?? null;
  }

  private async originsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.pool.query<{ user_id: number; origin: string }>({
      name: 'console-addresses-of',
      text: `SELECT asked.user_id, origin FROM unnest($1::integer[]) AS asked (user_id) CROSS JOIN LATERAL (
               SELECT origin FROM console_address AS a WHERE a.user_id = asked.user_id OR of_admin
               ORDER BY a.user_id = asked.user_id DESC, used_at DESC LIMIT 1
             ) AS used`,
      values: [userIds],
    });
    return new Map(rows.map((row) => [String(row.user_id), row.origin]));
  }

  async forget(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM console_address WHERE user_id = $1', [userId]);
  }
}
