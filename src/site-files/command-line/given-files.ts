import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep, dirname, resolve } from 'node:path';
import { StartRefused } from '../../kernel/start-refused.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import type { GivenFile } from '../read-site-files.ts';
import { boundedFile } from '../../platform/cli/bounded-file.ts';
import { WrongUse } from '../../platform/cli/command.ts';
import type { SecretValues } from '../secret-references.ts';

const MAX_MIB = 1;
/** The files that are read when none is named. */
const USUAL = ['watchledger.yaml', 'watchledger'] as const;

/** The files of the command line; of a folder those that end in .yaml or .yml. */
export function givenFiles(args: readonly string[]): readonly GivenFile[] {
  const named = args.length > 0 ? args : USUAL.filter((name) => existsSync(name));
  if (named.length === 0) throw new WrongUse('no file is named, and there is neither watchledger.yaml nor watchledger/ here');
  const names = named.flatMap((name) => (isFolder(name) ? filesIn(name) : [name]));
  if (names.length === 0) throw new WrongUse(`${named.join(', ')}: contains no .yaml file`);
  return names.map(read);
}

/** The files of a folder that may be empty. */
export const filesOfFolder = (folder: string): readonly GivenFile[] => filesIn(folder).map(read);

function isFolder(name: string): boolean {
  const found = readable(name, () => statSync(name, { throwIfNoEntry: false }));
  if (found === undefined) throw new WrongUse(`${name}: there is no such file`);
  return found.isDirectory();
}

function readable<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new WrongUse(`${name}: cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Without folders that begin with a dot, such as .git, without links to folders, which may lead back, and without pipes, which may never end. */
const filesIn = (folder: string): readonly string[] =>
  readable(folder, () => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => /\.ya?ml$/.test(entry.name) && (entry.isFile() || (entry.isSymbolicLink() && !isLinkedFolder(entry))))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
    .toSorted()
    .map((path) => join(folder, path));

const isLinkedFolder = ({ parentPath, name }: Dirent): boolean =>
  statSync(join(parentPath, name), { throwIfNoEntry: false })?.isDirectory() === true;

function read(name: string): GivenFile {
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(boundedFile(name, MAX_MIB)) };
  } catch (error) {
    throw new WrongUse(error instanceof StartRefused ? error.message : `${name}: is not a text in UTF-8; save it in this encoding`, {
      cause: error,
    });
  }
}

/** Values from the environment, and from files relative to the site file. */
export const localSecrets =
  (file: string, env: Readonly<Record<string, string | undefined>> = process.env): SecretValues =>
  (reference) => {
    const [, kind, name = ''] = /^(env|file):(.*)$/s.exec(reference) ?? [];
    return kind === 'env' ? (env[name] ?? null) : contentOf(resolve(dirname(file), name));
  };

/** Without its last line break; null where it cannot be read. */
function contentOf(path: string): string | null {
  try {
    return boundedFile(path, MAX_MIB)
      .toString()
      .replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}
