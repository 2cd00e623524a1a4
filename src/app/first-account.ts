import { randomBytes } from 'node:crypto';
import { ChangePassword } from '../commands/password.commands.ts';
import { OpenAccount } from '../commands/account.commands.ts';
import { systemContext } from '../commands/context.ts';
import type { Config } from '../config.ts';
import type { AppendPosition } from '../event-store/event-store.ts';
import { ADVISORY_LOCKS } from '../persistence/advisory-locks.ts';
import { derivedId, randomId } from '../kernel/ids.ts';
import type { AccountTools } from '../processes/account-erasure/account-tools.ts';
import type { Parts } from './parts.ts';
import { INSTALLATION_PLAN } from './plans.ts';

/** A slow first start; the wait ends as soon as the account is visible. */
const VISIBLE_TIMEOUT_MS = 300_000;
const CLAIM = { kind: 'first-account', key: 'installation', holder: 'installation' } as const;

export interface FirstAccount {
  readonly email: string;
  /** The generated password, to be shown once; null when it was configured, or the account existed. */
  readonly password: string | null;
  readonly made: boolean;
}

/** The first account of an installation (docs/spec/decisions.md#A7). Instances that start together wait for each other; an attempt that a crash interrupted is repeated. */
export async function ensureFirstAccount(
  config: Config,
  { pool, claims, readYourWrites }: Parts,
  tools: AccountTools,
): Promise<FirstAccount> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.firstAccount]);
    const existing: FirstAccount = { email: config.adminEmail, password: null, made: false };
    const { rowCount } = await client.query('SELECT 1 FROM claim WHERE kind = $1 AND expires IS NULL', [CLAIM.kind]);
    if ((rowCount ?? 0) > 0) return existing;
    await claims.claim(CLAIM.kind, CLAIM.key, CLAIM.holder);
    const password = config.adminPassword ?? randomBytes(12).toString('base64url');
    const places: AppendPosition[] = [];
    const context = systemContext({ kind: 'cli', id: 'installation' }, Date.now(), {
      commandId: derivedId('first-account'),
      recordAppend: (place) => places.push(place),
    });
    const wanted = {
      email: config.adminEmail,
      name: 'Administrator',
      password,
      plan: INSTALLATION_PLAN,
      systemRole: 'admin',
      confirmed: true,
    } as const;
    const { userId, opened } = await tools.commands.execute(new OpenAccount(context, { ...wanted, by: 'installation' }));
    // Opened by a start that crashed before it could show the password.
    if (!opened) await tools.commands.execute(new ChangePassword({ ...context, commandId: randomId() }, userId, password, 'administrator'));
    await readYourWrites.waitUntilVisible(places, Date.now() + VISIBLE_TIMEOUT_MS);
    await claims.keep(CLAIM.kind, CLAIM.key, CLAIM.holder);
    return { ...existing, password: config.adminPassword === undefined ? password : null, made: true };
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.firstAccount]);
    client.release();
  }
}
