import { resolve4, getServers } from 'node:dns/promises';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { fileHandleLimit } from '../../kernel/file-handles.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { fail, type Diagnosis, ok, warn } from './finding.ts';

const GIB = 1024 ** 3;
const HANDLES_WANTED = 4_096;

export function examineNode(): Diagnosis {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', process.versions.node)
    : fail('node', process.versions.node, 'install Node 20.19 or later');
}

export function examineDataFolder({ dataDir }: Config): Diagnosis {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    return fail('data folder', reasonOf(error), `give the service's user the right to write ${folder}, or set DATA_DIR`);
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = `${dataDir}, ${((bavail * bsize) / GIB).toFixed(1)} GiB free`;
  return bavail * bsize > GIB ? ok('data folder', free) : warn('data folder', free, 'the log only grows: free some space');
}

/** Every probe uses one or two. */
export function examineHandles({ roles }: Config): Diagnosis {
  const limit = fileHandleLimit();
  if (limit === null) return ok('file handles', 'no limit, or an unknown one');
  const found = `up to ${String(limit)} at once`;
  if (limit >= HANDLES_WANTED || !roles.includes('checker')) return ok('file handles', found);
  return warn(
    'file handles',
    found,
    `raise it to ${String(HANDLES_WANTED)} or more: ulimit -n, LimitNOFILE= in systemd, ulimits: in compose`,
  );
}

export async function examineNames(): Promise<readonly Diagnosis[]> {
  const servers = getServers().join(', ') || 'none';
  const started = performance.now();
  try {
    await resolve4('example.com');
    return [ok('dns', `${servers} answered in ${String(Math.round(performance.now() - started))} ms`)];
  } catch (error) {
    return [warn('dns', `${servers}: ${reasonOf(error)}`, 'check /etc/resolv.conf: without DNS only IP addresses can be watched')];
  }
}
