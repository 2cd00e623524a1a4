import type pg from 'pg';
import type { Claims } from '../../platform/postgres/claims.ts';
import { EMAIL_CLAIM, type EmailDirectory } from '../../accounts/email-directory.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { accountView } from '../../accounts/account.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import { projectView } from '../../projects/project.view.ts';
import { accountStream } from '../../kernel/stream-names.ts';

export interface RebuildClaimsParts {
  readonly pool: pg.Pool;
  readonly claims: Claims;
  readonly keyring: Keyring;
  readonly directory: Pick<EmailDirectory, 'hashOf'>;
  readonly views: Views;
}

export interface RebuiltClaims {
  /** Accounts and projects whose claim was rebuilt. */
  readonly claimed: readonly string[];
  /** Accounts without a key, whose personal data is unreadable. */
  readonly keyDestroyed: readonly string[];
  /** Accounts whose e-mail address is now claimed by another account. */
  readonly addressTaken: readonly string[];
}

/** Rebuilds unique-value claims (e-mail addresses, project slots) that are newer than the restored backup, from the log and the keys. */
export async function rebuildClaims(needs: RebuildClaimsParts): Promise<RebuiltClaims> {
  const [accounts, projects] = [await accountsWithoutClaim(needs), await projectsWithoutClaim(needs)];
  const of = (fate: Fate): readonly string[] => accounts.filter((account) => account.fate === fate).map(({ holder }) => holder);
  return { claimed: [...of('claimed'), ...projects], keyDestroyed: of('keyDestroyed'), addressTaken: of('addressTaken') };
}

type Fate = 'claimed' | 'keyDestroyed' | 'addressTaken' | 'erased';

async function accountsWithoutClaim(needs: RebuildClaimsParts): Promise<readonly { readonly holder: string; readonly fate: Fate }[]> {
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

async function projectsWithoutClaim({ pool, claims, views }: RebuildClaimsParts): Promise<readonly string[]> {
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
