import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartRefused } from '../../kernel/start-refused.ts';

export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
}

const OWN_USER = 'watchledger';

/**
 * Postgres refuses to run as root: a service that runs as root starts it as a user of its own. Undefined for an ordinary user. The owner of an
 * existing cluster takes precedence, because Postgres requires to own its files.
 */
export function databaseUser(cluster: string, say: (line: string) => void): DatabaseUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return accountOf(OWN_USER) ?? createUser(say) ?? accountOf('postgres') ?? refuse();
}

/** By the modes of the folders above the path. */
export function canReach(user: DatabaseUser, path: string): boolean {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  const passable = ((mode >> shift) & 1) === 1;
  return passable && (dirname(path) === path || canReach(user, dirname(path)));
}

/** The first folder that the user cannot traverse. */
export function closedFolder(user: DatabaseUser, path: string): string {
  const parent = dirname(path);
  return parent === path || canReach(user, parent) ? path : closedFolder(user, parent);
}

function accountOf(name: string): DatabaseUser | undefined {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' })));
    return uid === undefined || gid === undefined ? undefined : { uid, gid };
  } catch {
    return undefined;
  }
}

function createUser(say: (line: string) => void): DatabaseUser | undefined {
  say(`creating the system user ${OWN_USER}, because Postgres does not run as root`);
  try {
    const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin'];
    execFileSync('useradd', [...options, OWN_USER], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  return accountOf(OWN_USER);
}

function refuse(): never {
  throw new StartRefused(
    `Postgres does not run as root, and the user ${OWN_USER} could not be created: run "useradd --system ${OWN_USER}", or start the service as an ordinary user, or set DATABASE_URL`,
  );
}
