import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

function git(...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Tables of a capability, and migrations that followed them; neither what runs them nor their list. */
const TABLES = [':(glob)src/**/*.tables.ts'];

/** Why an installation of a commit cannot be upgraded to this version; null if it can. */
export function whyNotFrom(commit: string): string | null {
  try {
    // All but those that were added.
    const [changed] = git('diff', '--name-only', '--diff-filter=a', commit, '--', ...TABLES)
      .toString()
      .split('\n');
    return changed ? `${changed} is another one at ${commit}` : null;
  } catch {
    return `this clone does not have ${commit}`;
  }
}

/** Builds a commit, with the packages that are installed here if its lock file is the same, else with its own. Answers its program. */
export function buildAt(commit: string, folder: string): string {
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  const isSameLock = git('diff', '--name-only', commit, '--', 'package-lock.json').length === 0;
  if (isSameLock) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const build = `(await import('./src/operations/launch/prepare.mjs')).${isSameLock ? 'build' : 'prepare'}()`;
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: folder, stdio: ['ignore', 2, 2] });
  return join(folder, 'dist', 'main.js');
}
