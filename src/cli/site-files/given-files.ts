import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartRefused } from '../../kernel/start-refused.ts';
import type { GivenFile } from '../../http/site-files/read-site-files.ts';
import { WrongUse } from '../command.ts';

const MAX_BYTES = 1024 * 1024;
/** Looked for where no file is named. */
const USUAL = ['watchledger.yaml', 'watchledger'] as const;

/** The files of the command line; of a folder those that end in .yaml or .yml. */
export function givenFiles(args: readonly string[]): readonly GivenFile[] {
  const named = args.length > 0 ? args : USUAL.filter((name) => existsSync(name));
  if (named.length === 0) throw new WrongUse('no file is named, and there is neither watchledger.yaml nor watchledger/ here');
  const names = named.flatMap((name) => (isFolder(name) ? filesIn(name) : [name]));
  if (names.length === 0) throw new WrongUse(`${named.join(', ')}: contains no .yaml file`);
  return names.map(read);
}

function isFolder(name: string): boolean {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found === undefined) throw new WrongUse(`${name}: there is no such file`);
  return found.isDirectory();
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .toSorted()
    .map((name) => join(folder, name));

function read(name: string): GivenFile {
  const { size } = statSync(name);
  if (size > MAX_BYTES) throw new StartRefused(`${name}: is larger than 1 MiB`);
  return { name, text: new TextDecoder().decode(readFileSync(name)) };
}
