import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { Claims } from '../../platform/postgres/claims.ts';
import { EMAIL_CLAIM, EmailDirectory } from '../../accounts/email-directory.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { accountView } from '../../accounts/account.view.ts';
import { type Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import { LOGGER } from '../../platform/telemetry/logging/logger.ts';
import { projectView } from '../../projects/project.view.ts';
import { accountStream } from '../../kernel/stream-names.ts';

interface RebuildParts {
  readonly pool: pg.Pool;
  readonly claims: Claims;
  readonly keyring: Keyring;
  readonly directory: Pick<EmailDirectory, 'hashOf'>;
  readonly views: Views;
}

/** Unique-value claims (e-mail addresses, project slots) that are newer than the restored backup. */
@Injectable()
export class LostClaims {
  /** Only a separate event store can be ahead of a restored database. */
  private areRebuilt: boolean;

  constructor(
    private readonly pool: pg.Pool,
    private readonly claims: Claims,
    private readonly keyring: Keyring,
    private readonly directory: EmailDirectory,
    private readonly views: ViewsAt,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG) { eventStoreUrl }: Config,
  ) {
    this.areRebuilt = eventStoreUrl === undefined;
  }

  /** From the log and the keys; once per start, after the log has caught up with the event store. */
  async rebuild(): Promise<void> {
    if (this.areRebuilt) return;
    const { pool, claims, keyring, directory, logger } = this;
    const parts = { pool, claims, keyring, directory, views: this.views.now() };
    const [accounts, projects] = [await accountsWithoutClaim(parts), await projectsWithoutClaim(parts)];
    this.areRebuilt = true;
    const of = (fate: Fate): readonly string[] => accounts.filter((account) => account.fate === fate).map(({ holder }) => holder);
    const [claimed, addressTaken, keyDestroyed] = [[...of('claimed'), ...projects], of('addressTaken'), of('keyDestroyed')];
    if (claimed.length > 0) logger.warn({ claimed }, 'claims rebuilt from the log: the event store was ahead of this database');
    if (addressTaken.length > 0)
      logger.warn({ addressTaken }, 'accounts lost their e-mail address to another account and cannot sign in with it');
    if (keyDestroyed.length > 0)
      logger.error({ keyDestroyed }, 'accounts without a key cannot sign in: they were opened after the backup of the keys');
  }
}

type Fate = 'claimed' | 'keyDestroyed' | 'addressTaken' | 'erased';

async function accountsWithoutClaim(needs: RebuildParts): Promise<readonly { readonly holder: string; readonly fate: Fate }[]> {
  const { pool, claims, keyring, directory, views } = needs;
  const known = await holdersOf(pool, EMAIL_CLAIM);
  const accounts: { holder: string; fate: Fate }[] = [];
  for (const { row } of await views.list(accountView)) {
    const holder = accountStream(row.userId);
    if (known.has(holder)) continue;
    const email = await keyring.open(row.email);
    const fate = async (): Promise<Fate> => {
      if (email === null) return (await wasErased(pool, holder)) ? 'erased' : 'keyDestroyed';
      const hash = await directory.hashOf(email);
      return (await claims.claim(EMAIL_CLAIM, hash, holder)) && (await claims.keep(EMAIL_CLAIM, hash, holder)) ? 'claimed' : 'addressTaken';
    };
    accounts.push({ holder, fate: await fate() });
  }
  return accounts;
}

async function projectsWithoutClaim({ pool, claims, views }: RebuildParts): Promise<readonly string[]> {
  const known = await holdersOf(pool, PROJECT_SLOT);
  const claimed: string[] = [];
  for (const { key: projectId, row } of await views.list(projectView)) {
    if (known.has(projectId)) continue;
    // The project exists even if it exceeds the plan's limit.
    const slot = await claims.claimSlot(PROJECT_SLOT, String(row.payerId), null, projectId);
    if (slot !== null && (await claims.keep(PROJECT_SLOT, slot, projectId))) claimed.push(projectId);
  }
  return claimed;
}

async function holdersOf(pool: pg.Pool, kind: string): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ holder: string }>('SELECT holder FROM claim WHERE kind = $1', [kind]);
  return new Set(rows.map(({ holder }) => holder));
}

/** An unfinished erasure keeps the row of its key. */
async function wasErased(pool: pg.Pool, subject: string): Promise<boolean> {
  return (await pool.query('SELECT FROM subject_keys WHERE subject = $1', [subject])).rowCount === 1;
}
