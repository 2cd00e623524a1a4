import { hash, verify } from '@node-rs/argon2';

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Each hash occupies a thread of the pool that name lookups and files share: a flood of logins must not take them all. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

/** Signs that look alike in one keyboard layout and another are the same password. */
const normal = (password: string): string => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(normal(password), PARAMETERS));

export const isPassword = (hashed: string, password: string): Promise<boolean> => inTurn(() => verify(hashed, normal(password)));
