import { hash, verify } from '@node-rs/argon2';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { Injectable } from '@nestjs/common';
import pg from 'pg';

/** argon2id (the library's default algorithm) with OWASP's parameters: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Each hash occupies a thread of the libuv pool, which DNS lookups and files share: a flood of logins must not use all of them. */
const MAX_CONCURRENT = 2;
/** A few seconds of hashing; beyond it callers are refused at once instead of waiting for minutes. */
const MAX_QUEUED = 200;

const limit = new ConcurrencyLimit(MAX_CONCURRENT, { maxQueue: MAX_QUEUED });

/** NFKC: a password typed with another keyboard layout or input method stays the same. */
const normal = (password: string): string => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> => limit.run(() => hash(normal(password), PARAMETERS));

export const isPassword = (hashed: string, password: string): Promise<boolean> => limit.run(() => verify(hashed, normal(password)));

/** The argon2id hash of a discarded random text, verified for unknown accounts so that the response time does not reveal them. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$WNPR/lCWKRMeORpKToNyCQ$Li/V+DYr7sbza70q9lP0q5agziihFnrFJhE+O/nJXcs';

/** Password hashes (argon2id), stored beside the log so that they can be deleted. */
@Injectable()
export class Passwords {
  constructor(private readonly pool: pg.Pool) {}

  async set(userId: number, password: string): Promise<void> {
    await this.pool.query({
      name: 'password-set',
      text: `
        INSERT INTO passwords (user_id, hash) VALUES ($1, $2)
        ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()`,
      values: [userId, await hashPassword(password)],
    });
  }

  /** The matching hash, else null. An unknown account (null) takes as long as a wrong password. */
  async verify(userId: number | null, password: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ hash: string }>({
      name: 'password-get',
      text: 'SELECT hash FROM passwords WHERE user_id = $1',
      values: [userId ?? 0],
    });
    const known = rows[0]?.hash;
    const same = await isPassword(known ?? DUMMY_HASH, password);
    return known !== undefined && same ? known : null;
  }

  async has(userId: number): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT 1 FROM passwords WHERE user_id = $1', [userId]);
    return (rowCount ?? 0) > 0;
  }

  async forget(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM passwords WHERE user_id = $1', [userId]);
  }
}
