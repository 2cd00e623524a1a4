import { randomBytes } from 'node:crypto';
import type { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { ChangePassword, OfferLink } from '../accounts/passwords/password.commands.ts';
import { OpenAccount } from '../accounts/account.commands.ts';
import { systemContext } from '../platform/commands/context.ts';
import type { Config } from '../platform/config/config.ts';
import type { AppendPosition } from '../platform/event-store/event-store.ts';
import { ADVISORY_LOCKS } from '../platform/postgres/advisory-locks.ts';
import { unlessAborted } from '../kernel/abortable.ts';
import { derivedId, randomId } from '../kernel/ids.ts';
import { LinkStore } from '../accounts/tokens/link-store.ts';
import type { Parts } from './parts.ts';
import { INSTALLATION_PLAN } from '../accounts/plan.ts';

/** A slow first start; the wait ends as soon as the account is visible. */
const VISIBLE_TIMEOUT_MS = 300_000;
const LINK_TIMEOUT_MS = 5_000;
const LINK_LIFETIME_MS = 24 * 3_600_000;
const CLAIM = { kind: 'first-account', key: 'installation', holder: 'installation' } as const;

export interface FirstAccount {
  readonly email: string;
  /** The generated password, to be shown once; null when it was configured, or the account existed. */
  readonly password: string | null;
  readonly made: boolean;
  /** The token of a link that signs in to the console once; null when one was used, or the password was configured. */
  readonly link: string | null;
}

/** The first account of an installation (docs/spec/decisions.md#A7). Instances that start together wait for each other; an attempt that a crash interrupted is repeated. */
export async function ensureFirstAccount(
  config: Config,
  {
    pool,
    claims,
    readYourWrites,
    logger,
    commands,
    get,
  }: Pick<Parts, 'pool' | 'claims' | 'readYourWrites' | 'logger' | 'commands' | 'get'>,
): Promise<FirstAccount> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.firstAccount]);
    const links = get(LinkStore);
    const existing: FirstAccount = { email: config.adminEmail, password: null, made: false, link: null };
    const { rowCount } = await client.query('SELECT 1 FROM claim WHERE kind = $1 AND expires IS NULL', [CLAIM.kind]);
    if ((rowCount ?? 0) > 0) {
      const unused = config.adminPassword === undefined ? await links.unusedFirst() : null;
      return unused === null ? existing : { ...existing, link: await anotherLink(commands, unused, logger) };
    }
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
    const { userId, opened } = await commands.execute(new OpenAccount(context, { wanted: { ...wanted, by: 'installation' } }));
    // Opened by a start that crashed before it could show the password.
    if (!opened)
      await commands.execute(new ChangePassword({ ...context, commandId: randomId() }, { userId, password, by: 'administrator' }));
    const link = config.adminPassword === undefined ? await offerLink(commands, userId) : null;
    await readYourWrites.waitUntilVisible(places, Date.now() + VISIBLE_TIMEOUT_MS);
    await claims.keep(CLAIM.kind, CLAIM.key, CLAIM.holder);
    return { ...existing, password: config.adminPassword === undefined ? password : null, made: true, link };
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.firstAccount]);
    client.release();
  }
}

/** A start continues without it: an instance also serves reads while nothing can be written. */
async function anotherLink(commands: CommandBus, userId: number, logger: Logger): Promise<string | null> {
  try {
    return await unlessAborted(AbortSignal.timeout(LINK_TIMEOUT_MS), offerLink(commands, userId));
  } catch (error) {
    logger.warn({ err: error }, 'no link to the console could be made');
    return null;
  }
}

async function offerLink(commands: CommandBus, userId: number): Promise<string> {
  const now = Date.now();
  const context = systemContext({ kind: 'cli', id: 'installation' }, now);
  const { token } = await commands.execute(
    new OfferLink(context, { userId, purpose: 'sign-in', expiresAt: new Date(now + LINK_LIFETIME_MS), isFirst: true }),
  );
  return token;
}
