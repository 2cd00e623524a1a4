import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { networkOf } from '../../platform/security/networks.ts';

/** A network from which an account has not signed in for this long is unknown again. */
const RETENTION_DAYS = 90;
/** Providers assign other addresses of the same network from day to day. */
const NEIGHBOURHOOD = { ipv4: 24, ipv6: 48 } as const;

export interface Familiarity {
  /** The account has signed in from this very network (IPv4 address, IPv6 network of 64 bits). */
  readonly isKnown: boolean;
  /** The account has signed in before, but never from the neighbourhood of this address (24 and 48 bits). */
  readonly isNew: boolean;
}

/** The networks from which an account has signed in; the table holds keyed hashes, not addresses. */
@Injectable()
export class KnownNetworks {
  constructor(
    private readonly pool: pg.Pool,
    private readonly secrets: Secrets,
  ) {}

  async familiarity(userId: number, address: string): Promise<Familiarity> {
    const { own, neighbourhood } = await this.hashesOf(userId, address);
    const { rows } = await this.pool.query<{ own: boolean | null; near: boolean | null; any: boolean }>({
      name: 'networks-known',
      text: `
        SELECT bool_or(hash = $2) AS own, bool_or(hash = $3) AS near, count(*) > 0 AS any
        FROM known_networks WHERE user_id = $1 AND seen_at > now() - make_interval(days => $4)`,
      values: [userId, own, neighbourhood, RETENTION_DAYS],
    });
    const [row] = rows;
    return { isKnown: row?.own === true, isNew: row?.any === true && row.near !== true };
  }

  async add(userId: number, address: string): Promise<void> {
    const { own, neighbourhood } = await this.hashesOf(userId, address);
    await this.pool.query({
      name: 'networks-add',
      text: `
        INSERT INTO known_networks AS known (user_id, hash) SELECT $1, hash FROM unnest($2::text[]) AS hash ORDER BY hash
        ON CONFLICT (user_id, hash) DO UPDATE SET seen_at = now() WHERE known.seen_at < now() - interval '1 day'`,
      values: [userId, [own, neighbourhood]],
    });
  }

  async forgetAll(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM known_networks WHERE user_id = $1', [userId]);
  }

  async forgetOld(): Promise<void> {
    await this.pool.query('DELETE FROM known_networks WHERE seen_at < now() - make_interval(days => $1)', [RETENTION_DAYS]);
  }

  private async hashesOf(userId: number, address: string): Promise<{ readonly own: string; readonly neighbourhood: string }> {
    const secret = await this.secrets.secret('look-up');
    const hash = (...parts: readonly unknown[]): string => createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
    return {
      own: hash('known network', userId, networkOf(address)),
      neighbourhood: hash('known neighbourhood', userId, networkOf(address, NEIGHBOURHOOD)),
    };
  }
}
