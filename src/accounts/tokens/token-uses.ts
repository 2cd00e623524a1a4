import type pg from 'pg';
import { growingCache } from '../../kernel/cached.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import { MINUTE_MS } from '../../kernel/time.ts';

interface UsedToken {
  /** The subject whose key seals the address. */
  readonly subject: string;
  readonly tokenId: string;
}

/** Writes when and from where a token was last used, to the minute, beside its requests: a database that only reads serves reads. */
export class TokenUses {
  /** Tokens whose use was written within the last minute by this instance. */
  private readonly written = growingCache<string, true>(10_000, { ttl: MINUTE_MS });

  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly keyring: Pick<Keyring, 'seal'>,
  ) {}

  record(token: UsedToken, address: string): void {
    if (this.written.has(token.tokenId)) return;
    this.written.set(token.tokenId, true);
    void this.write(token, address).catch(() => undefined);
  }

  private async write({ subject, tokenId }: UsedToken, address: string): Promise<void> {
    const { sealed } = await this.keyring.seal(subject, address);
    await this.pool.query({
      name: 'token-used',
      text: `UPDATE tokens SET last_used_at = now(), last_used_from = $2
             WHERE token_id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      values: [tokenId, sealed],
    });
  }
}
