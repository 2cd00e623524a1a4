import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { addNotice } from '../notices/notice.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { derivedId } from '../../kernel/ids.ts';
import { accountView } from '../account.view.ts';
import { unlessParked, ViewsAt } from '../../platform/read-models/views/views.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { networkOf } from '../../platform/security/networks.ts';
import { GuessStore } from '../tokens/guess-store.ts';
import { KnownNetworks } from '../tokens/known-networks.ts';
import { TryStore } from '../tokens/try-store.ts';
import { RateLimited } from '../../platform/http/errors/refusals.ts';

/** Failed logins per 15 minutes from one subscriber: for one account, and for all accounts (docs/spec/decisions.md#G12). */
const MAX_PER_ACCOUNT = 10;
const MAX_PER_NETWORK = 300;
/** A subscriber may hold many IPv6 networks of 64 bits: wider ones are counted, too. */
const WIDTHS = [
  { ipv6: 64, times: 1 },
  { ipv6: 56, times: 2 },
  { ipv6: 48, times: 4 },
] as const;

export interface LoginAttempt {
  /** Throws `RateLimited` when too many attempts failed. */
  refuseIfExhausted(): Promise<void>;
  recordFailure(): Promise<void>;
}

/** Who is guessed at: by the account, or by an e-mail address without one. */
export interface Guessed {
  readonly userId: number | null;
  readonly name: string;
  /** What many share has no pause over all addresses: a stranger could lock everybody out. */
  readonly isShared?: boolean;
}

/** A rate limiter of failed logins, shared by all instances; its tables hold keyed hashes, not addresses or e-mails. */
@Injectable()
export class LoginThrottle {
  constructor(
    private readonly tries: TryStore,
    private readonly guesses: GuessStore,
    private readonly networks: KnownNetworks,
    private readonly secrets: Secrets,
    private readonly pool: pg.Pool,
    private readonly views: ViewsAt,
    @Inject(CONFIG) private readonly config: Pick<Config, 'smtpUrl'>,
  ) {}

  /** An account that does not exist is counted alike, and takes as long. */
  async attempt({ userId, name, isShared = false }: Guessed, address: string): Promise<LoginAttempt> {
    const secret = await this.secrets.secret('look-up');
    const key = (...parts: readonly string[]): string => createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
    const account = name.trim().normalize('NFC').toLowerCase();
    const limits = new Map(
      WIDTHS.flatMap(({ ipv6, times }) => {
        const network = networkOf(address, { ipv4: 32, ipv6 });
        return [
          [key('login', account, network), MAX_PER_ACCOUNT * times],
          [key('login', network), MAX_PER_NETWORK * times],
        ] as const;
      }).toReversed(),
    );
    const everywhere = key('guesses', userId === null ? account : String(userId));
    const isKnown = isShared || (await this.networks.familiarity(userId ?? 0, address)).isKnown;
    return {
      refuseIfExhausted: async () => {
        const [here, paused] = await Promise.all([this.tries.secondsToWait(limits), isKnown ? 0 : this.guesses.secondsToWait(everywhere)]);
        const wait = Math.max(here, paused);
        if (wait > 0) throw new RateLimited(wait, paused > here ? 'guesses' : 'sign_ins');
      },
      recordFailure: async () => {
        await this.tries.recordFailure([...limits.keys()]);
        const failed = isKnown ? null : await this.guesses.recordFailure(everywhere);
        if (failed !== null && userId !== null) await this.tellOwner(userId, failed);
      },
    };
  }

  /**
   * Wrong one-time codes of an account, over all addresses and without exempt networks: a code is asked for after the right password. Passkeys and recovery
   * codes go on, because they cannot be guessed.
   */
  async codeGuesses(userId: number): Promise<LoginAttempt> {
    const secret = await this.secrets.secret('look-up');
    const key = createHmac('sha256', secret)
      .update(JSON.stringify(['code guesses', userId]))
      .digest('hex');
    return {
      refuseIfExhausted: async () => {
        const wait = await this.guesses.secondsToWait(key);
        if (wait > 0) throw new RateLimited(wait, 'codes');
      },
      recordFailure: async () => {
        const failed = await this.guesses.recordFailure(key);
        if (failed !== null) await this.tellOwner(userId, failed, 'code guesses');
      },
    };
  }

  /** Once a day. */
  private async tellOwner(userId: number, failed: number, about: 'guesses' | 'code guesses' = 'guesses'): Promise<void> {
    const account = await unlessParked(this.views.now().get(accountView, String(userId)));
    if (this.config.smtpUrl === undefined || account === 'parked' || account?.confirmed !== true) return;
    const now = Date.now();
    const at = new Date(now).toISOString();
    const id = derivedId(about, userId, at.slice(0, 10));
    await addNotice(this.pool, { id, n: 0, correlationId: id }, userId, { at, about, failed }, now);
  }
}
