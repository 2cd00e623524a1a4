import { spawnSync } from 'node:child_process';
import { StartRefused } from '../../kernel/start-refused.ts';
import { canReach, closedFolder, type DatabaseUser } from './database-user.ts';

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Capabilities to traverse closed folders; without the secure bit `access` would ignore them for an ordinary user. */
const TRAVERSING = ['--securebits=+no_setuid_fixup', '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];

/** How to start a program of Postgres: as which user, through folders closed to that user, and so that it ends with the service. */
export type RunAs = (file: string, args: readonly string[]) => Launch;

/**
 * With setpriv (part of every Debian) the kernel signals Postgres when the service is killed, and folders of mode 0700 above the cluster,
 * such as root's home, stay closed to everyone else.
 */
export function runAs(user: DatabaseUser | undefined, paths: readonly string[]): RunAs {
  const tool = hasSetpriv();
  const ending = tool ? ['--pdeathsig=INT'] : [];
  if (user === undefined) return tool ? viaSetpriv(ending) : (file, args) => ({ file, args });
  const closed = paths.find((path) => !canReach(user, path));
  if (!tool && closed === undefined) return (file, args) => ({ file, args, ...user });
  if (!tool || (closed !== undefined && !hasCapability())) throw new StartRefused(closedMessage(user, closed ?? ''));
  const traversing = closed === undefined ? [] : TRAVERSING;
  return viaSetpriv([`--reuid=${String(user.uid)}`, `--regid=${String(user.gid)}`, '--clear-groups', ...traversing, ...ending]);
}

const viaSetpriv =
  (options: readonly string[]): RunAs =>
  (file, args) => ({ file: 'setpriv', args: [...options, '--', file, ...args] });

/** Without the secrets in the environment of the service. */
export const bareEnvironment = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' });

const hasSetpriv = (): boolean => process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig=INT', 'true']).status === 0;

const hasCapability = (): boolean => spawnSync('setpriv', [...TRAVERSING, 'true']).status === 0;

function closedMessage(user: DatabaseUser, path: string): string {
  const folder = closedFolder(user, path);
  return `Postgres runs as user ${String(user.uid)} (it refuses to run as root) and cannot traverse ${folder}: run "chmod o+x ${folder}", or move the project and DATA_DIR elsewhere, or start the service as an ordinary user`;
}
