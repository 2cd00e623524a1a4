import { hash, verify } from '@node-rs/argon2';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';

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
