import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';

/** The commit that is checked out where the files are, unless one of them differs from it or is not in a repository. */
export function commitOf(files: readonly string[]): string | undefined {
  const [first] = files;
  if (first === undefined) return undefined;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', dirname(first), ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const isClean = git('status', '--porcelain', '--', '.') === '';
    return isClean ? git('rev-parse', 'HEAD') : undefined;
  } catch {
    return undefined;
  }
}
