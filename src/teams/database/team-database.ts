import type pg from 'pg';
import { codeOf } from '../../kernel/system-error.ts';
import { type DatabaseLogin, withoutLogin } from '../../platform/postgres/connection-settings.ts';
import { openPool } from '../../platform/postgres/pool.ts';
import type { TeamAccess } from '../calls.ts';

export interface TeamDatabaseOptions {
  readonly url: string;
  /** The passwords of the roles are derived from it. */
  readonly secret: () => Promise<Uint8Array>;
  /** What is named works with the account of the service, for this reason. */
  readonly onSharedAccount: (name: string, reason: string) => void;
}

/** `insufficient_privilege`, and a login that the server or a pooler in front of it refuses. */
const NO_ROLE = /^(42501|28\d{3}|08P01)$/;

/** A login that was tried; none where the account of the service may not create roles, or a pooler does not accept them. */
export async function openTeamAccess(
  { url, secret, onSharedAccount }: TeamDatabaseOptions,
  name: string,
  ensure: (secret: Uint8Array) => Promise<DatabaseLogin>,
): Promise<TeamAccess> {
  let pool: pg.Pool | undefined;
  try {
    const login = await ensure(await secret());
    pool = openPool(url, { name: `team ${name}`, max: 1, login });
    await pool.query('SELECT');
    return { url: withoutLogin(url), login };
  } catch (error) {
    if (!NO_ROLE.test(codeOf(error) ?? '')) throw error;
    onSharedAccount(name, error instanceof Error ? error.message : String(error));
    return { url, login: null };
  } finally {
    await pool?.end();
  }
}
