import { growingCache } from '../../kernel/cached.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import { MINUTE_MS, DAY_MS } from '../../kernel/time.ts';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { TokenScope } from '../token-scopes.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { requireScopes } from '../rights/scopes.ts';
import pg from 'pg';

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

/** How many days uses are kept. */
export const SCOPE_USE_DAYS = 90;

const FLUSH_MS = 1_000;
/** The back-off after a failed write. */
const RETRY_MS = 10_000;
/** Tokens times scopes that one instance remembers as written today; of others each use is written again, which changes nothing. */
const REMEMBERED = 100_000;
/** While the database takes no writes. */
const MAX_WAITING = 100_000;

export interface ScopeUse<Scope extends string = string> {
  readonly scope: Scope;
  /** UTC days with a use. */
  readonly days: number;
  /** The newest of them. */
  readonly lastDay: string;
}

interface Use {
  readonly tokenId: string;
  readonly scope: string;
  readonly day: string;
}

/** Which scopes personal tokens need by what they do: counted in memory, and written once per token, scope and UTC day. A crash loses the last second. */
@Injectable()
export class ScopeUses {
  private waiting = new Map<string, Use>();
  /** The day on which a token's use of a scope was recorded last. */
  private readonly recorded = growingCache<string, number>(REMEMBERED);
  private timer: NodeJS.Timeout | undefined;
  /** One write at a time. */
  private writing: Promise<void> = Promise.resolve();

  constructor(@Inject(pg.Pool) private readonly pool: Pick<pg.Pool, 'query'>) {}

  record(tokenId: string, scope: string): void {
    const key = `${tokenId} ${scope}`;
    const now = Date.now();
    const day = Math.floor(now / DAY_MS);
    if (this.recorded.get(key) === day || this.waiting.size >= MAX_WAITING) return;
    this.recorded.set(key, day);
    const used = { tokenId, scope, day: new Date(now).toISOString().slice(0, 10) };
    this.waiting.set(`${key} ${used.day}`, used);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes what is waiting; never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeWaiting());
    return this.writing;
  }

  private async writeWaiting(): Promise<void> {
    if (this.waiting.size === 0) return;
    const uses = this.waiting;
    this.waiting = new Map();
    const all = [...uses.values()];
    try {
      await this.pool.query({
        name: 'scope-uses-add',
        text: `INSERT INTO token_scope_use (token_id, scope, day)
               SELECT token_id, scope, day FROM unnest($1::text[], $2::text[], $3::date[]) AS used (token_id, scope, day) ORDER BY 1, 2, 3
               ON CONFLICT DO NOTHING`,
        values: [all.map(({ tokenId }) => tokenId), all.map(({ scope }) => scope), all.map(({ day }) => day)],
      });
    } catch {
      this.waiting = new Map([...uses, ...this.waiting]);
      this.timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref();
    }
  }

  /** The uses of the last 90 days, by scope. */
  async ofToken(tokenId: string): Promise<readonly ScopeUse[]> {
    await this.flush();
    const { rows } = await this.pool.query<ScopeUse>(
      `SELECT scope, count(*)::int AS days, max(day)::text AS "lastDay" FROM token_scope_use
       WHERE token_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::int GROUP BY scope`,
      [tokenId, SCOPE_USE_DAYS],
    );
    return rows;
  }

  /** Deletes the uses of days before these, and of tokens that have ended. */
  async forgetOld(): Promise<void> {
    await this.pool.query(
      `DELETE FROM token_scope_use AS used WHERE day <= (now() AT TIME ZONE 'UTC')::date - $1::int
         OR NOT EXISTS (SELECT FROM tokens WHERE tokens.token_id = used.token_id)`,
      [SCOPE_USE_DAYS],
    );
  }
}

/** Asks for the scopes of what a request does, and records those that it needed, whether or not its token is narrowed (docs/spec/beyond.md#B23). */
@Injectable()
export class ScopeCheck implements BeforeApplicationShutdown {
  constructor(private readonly uses: ScopeUses) {}

  /** Beyond the scope of the route. */
  require(caller: Principal, scopes: readonly TokenScope[]): void {
    requireScopes(caller, scopes);
    this.record(caller, scopes);
  }

  record({ kind, tokenId }: Principal, scopes: readonly TokenScope[]): void {
    if (kind !== 'user') for (const scope of scopes) this.uses.record(tokenId, scope);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.uses.flush();
  }
}
