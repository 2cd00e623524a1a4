import { hash, verify } from '@node-rs/argon2';
import { inTurn } from '../../kernel/in-turn.ts';

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Each hash occupies a thread of the pool that name lookups and files share: a flood of logins must not take them all. */
const AT_ONCE = 2;
/** Some seconds of hashing: who comes later is told so at once, instead of waiting for minutes. */
const WAITING = 200;

const oneOfFew = inTurn(AT_ONCE, WAITING);

/** Signs that look alike in one keyboard layout and another are the same password. */
const normal = (password: string): string => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> => oneOfFew(() => hash(normal(password), PARAMETERS));

export const isPassword = (hashed: string, password: string): Promise<boolean> => oneOfFew(() => verify(hashed, normal(password)));
