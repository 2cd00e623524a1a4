import { spawnSync } from 'node:child_process';
import { StartRefused } from '../kernel/start-refused.ts';
import { canReach, closedFolder, type Account } from './database-user.ts';

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** The right to pass, and (`access` would drop it for an ordinary user) to be told so. */
const PASSING = ['--securebits=+no_setuid_fixup', '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];

/** How to start one of Postgres' programs: as which user, through folders that may be closed to that user, and so that it ends with us. */
export type RunAs = (file: string, args: readonly string[]) => Launch;

/**
 * With setpriv (part of every Debian) the kernel tells Postgres when the service was killed, and folders of mode 0700 above it, such as
 * root's home or a temporary folder, stay closed to everyone else.
 */
export function runAs(user: Account | undefined, paths: readonly string[]): RunAs {
  const tool = hasSetpriv();
  const ending = tool ? ['--pdeathsig=INT'] : [];
  if (user === undefined) return tool ? viaSetpriv(ending) : (file, args) => ({ file, args });
  const closed = paths.find((path) => !canReach(user, path));
  if (!tool && closed === undefined) return (file, args) => ({ file, args, ...user });
  if (!tool || (closed !== undefined && !hasCapability())) throw new StartRefused(closedMessage(user, closed ?? ''));
  const passing = closed === undefined ? [] : PASSING;
  return viaSetpriv([`--reuid=${String(user.uid)}`, `--regid=${String(user.gid)}`, '--clear-groups', ...passing, ...ending]);
}

const viaSetpriv =
  (options: readonly string[]): RunAs =>
  (file, args) => ({ file: 'setpriv', args: [...options, '--', file, ...args] });

/** Our own environment holds secrets, which are nothing to the database. */
export const bareEnvironment = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' });

const hasSetpriv = (): boolean => process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig=INT', 'true']).status === 0;

const hasCapability = (): boolean => spawnSync('setpriv', [...PASSING, 'true']).status === 0;

function closedMessage(user: Account, path: string): string {
  const folder = closedFolder(user, path);
  return `Postgres runs as user ${String(user.uid)} (it refuses to run as root) and may not pass through ${folder}: run "chmod o+x ${folder}", or move the project and DATA_DIR elsewhere, or start the service as an ordinary user`;
}
