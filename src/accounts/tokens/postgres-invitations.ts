import { Injectable } from '@nestjs/common';
import pg from 'pg';
import type { Sealed } from '../../kernel/event.ts';
import { EMAIL_CLAIM } from '../email-directory.ts';
import {
  type AddressedInvitation,
  type InvitationKind,
  type Invitations,
  type OfferedOwnership,
  RESERVED_SECONDS,
  type StoredInvitation,
} from './invitations.ts';
import { linkHash } from './link-store.ts';

interface Row {
  readonly id: string;
  readonly kind: InvitationKind;
  readonly project_id: string;
  readonly address: Sealed | null;
  readonly user_id: number | null;
}

const FOUND = 'SELECT id, kind, project_id, address, user_id FROM invitation';

@Injectable()
export class PostgresInvitations implements Invitations {
  constructor(private readonly pool: pg.Pool) {}

  async reserve({ id, projectId, addressHash, address }: AddressedInvitation): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      `INSERT INTO invitation AS known (id, kind, project_id, address_hash, address, expires_at)
       VALUES ($1, 'member', $2, $3, $4, now() + $5 * interval '1 second')
       ON CONFLICT (project_id, address_hash) DO UPDATE SET address = excluded.address, expires_at = greatest(known.expires_at, excluded.expires_at)
       RETURNING id`,
      [id, projectId, addressHash, JSON.stringify(address), RESERVED_SECONDS],
    );
    return rows[0]?.id ?? id;
  }

  async keep(id: string, token: string | null, expiresAt: Date): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'UPDATE invitation SET expires_at = $2, token_hash = coalesce($3, token_hash) WHERE id = $1',
      [id, expiresAt, token === null ? null : linkHash(token)],
    );
    return rowCount === 1;
  }

  async offer({ id, projectId, userId, token, expiresAt }: OfferedOwnership): Promise<void> {
    await this.pool.query(
      `INSERT INTO invitation (id, kind, project_id, user_id, token_hash, expires_at) VALUES ($1, 'owner', $2, $3, $4, $5)
       ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
      [id, projectId, userId, linkHash(token), expiresAt],
    );
  }

  of(userId: number): Promise<readonly StoredInvitation[]> {
    return this.found(
      `WHERE user_id = $1 OR address_hash = (SELECT key FROM claim WHERE kind = $2 AND holder = 'account-' || $1::text)
       ORDER BY expires_at, id`,
      [userId, EMAIL_CLAIM],
    );
  }

  async byToken(token: string): Promise<StoredInvitation | null> {
    return (await this.found('WHERE token_hash = $1 AND expires_at > now()', [linkHash(token)]))[0] ?? null;
  }

  ofProject(projectId: string): Promise<readonly StoredInvitation[]> {
    return this.found('WHERE project_id = $1', [projectId]);
  }

  async forget(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.pool.query('DELETE FROM invitation WHERE id = ANY($1)', [ids]);
  }

  async forgetProject(projectId: string): Promise<void> {
    await this.pool.query('DELETE FROM invitation WHERE project_id = $1', [projectId]);
  }

  due(limit: number): Promise<readonly StoredInvitation[]> {
    return this.found('WHERE expires_at <= now() ORDER BY expires_at LIMIT $1', [limit]);
  }

  async forgetDue(id: string): Promise<void> {
    await this.pool.query('DELETE FROM invitation WHERE id = $1 AND expires_at <= now()', [id]);
  }

  private async found(where: string, values: readonly unknown[]): Promise<readonly StoredInvitation[]> {
    const { rows } = await this.pool.query<Row>(`${FOUND} ${where}`, [...values]);
    return rows.map(({ id, kind, project_id, address, user_id }) => ({ id, kind, projectId: project_id, address, userId: user_id }));
  }
}
