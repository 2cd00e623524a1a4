import type { Claims } from '../../../src/platform/postgres/claims.ts';
import { EMAIL_CLAIM } from '../../../src/accounts/email-directory.ts';
import type { AddressedInvitation, Invitations, OfferedOwnership, StoredInvitation } from '../../../src/accounts/tokens/invitations.ts';

interface Row extends StoredInvitation {
  readonly addressHash: string | null;
  token: string | null;
  expires: number;
}

export class MemoryInvitations implements Invitations {
  private readonly rows = new Map<string, Row>();

  constructor(private readonly claims: Pick<Claims, 'holderOf'>) {}

  reserve({ id, projectId, addressHash, address }: AddressedInvitation): Promise<string> {
    const known = [...this.rows.values()].find((row) => row.projectId === projectId && row.addressHash === addressHash);
    if (known === undefined)
      this.rows.set(id, { id, kind: 'member', projectId, address, addressHash, userId: null, token: null, expires: Infinity });
    return Promise.resolve(known?.id ?? id);
  }

  keep(id: string, token: string | null, expiresAt: Date): Promise<boolean> {
    const row = this.rows.get(id);
    if (row === undefined) return Promise.resolve(false);
    Object.assign(row, { token: token ?? row.token, expires: expiresAt.getTime() });
    return Promise.resolve(true);
  }

  offer({ id, projectId, userId, token, expiresAt }: OfferedOwnership): Promise<void> {
    const expires = expiresAt.getTime();
    this.rows.set(id, { id, kind: 'owner', projectId, address: null, addressHash: null, userId, token, expires });
    return Promise.resolve();
  }

  async of(userId: number): Promise<readonly StoredInvitation[]> {
    const holder = `account-${String(userId)}`;
    const own = await Promise.all(
      [...this.rows.values()].map(async (row) => {
        const isOwn =
          row.addressHash === null ? row.userId === userId : (await this.claims.holderOf(EMAIL_CLAIM, row.addressHash)) === holder;
        return isOwn ? [row] : [];
      }),
    );
    return own.flat();
  }

  byToken(token: string): Promise<StoredInvitation | null> {
    return Promise.resolve([...this.rows.values()].find((row) => row.token === token) ?? null);
  }

  ofProject(projectId: string): Promise<readonly StoredInvitation[]> {
    return Promise.resolve([...this.rows.values()].filter((row) => row.projectId === projectId));
  }

  forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.rows.delete(id);
    return Promise.resolve();
  }

  async forgetProject(projectId: string): Promise<void> {
    await this.forget((await this.ofProject(projectId)).map(({ id }) => id));
  }

  due(limit: number): Promise<readonly StoredInvitation[]> {
    return Promise.resolve([...this.rows.values()].filter(({ expires }) => expires <= Date.now()).slice(0, limit));
  }

  async forgetDue(id: string): Promise<void> {
    if ((this.rows.get(id)?.expires ?? Infinity) <= Date.now()) await this.forget([id]);
  }
}
