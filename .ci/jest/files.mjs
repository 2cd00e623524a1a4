import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { releaseSecondsOf, secondsOf } from './durations.mjs';

// Which test files there are, and which of them a run is about.

export const root = resolve(import.meta.dirname, '../..');
const FOLDERS = ['src', 'test', 'bench', 'examples', 'teams'];
const TEST = /\.(spec|int-spec|release-spec)\.ts$/;
const IMPORT = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'([^']+\.tsx?)'/g;
/** Of one worker; a change of one file is tried within three minutes on two cores. */
const CHANGED_SECONDS = 240;

const listed = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listed(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
const sources = () =>
  FOLDERS.map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap(listed);

/** The files that have more to do in `npm run test:all` than in `npm test`. */
export const beyondDaily = () =>
  sources().filter((path) => TEST.test(path) && (path.endsWith('.release-spec.ts') || isLongerBeforeRelease(path)));

/** The share of `npm run test:all` beyond `npm test` that a landing runs: all files of it are in one of `count` slices of about the same length. */
export function slice(index, count) {
  const slices = Array.from({ length: count }, () => ({ seconds: 0, paths: [] }));
  for (const path of beyondDaily().toSorted((one, other) => lengthOf(other) - lengthOf(one) || (one < other ? -1 : 1))) {
    const shortest = slices.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    shortest.seconds += lengthOf(path);
    shortest.paths.push(path);
  }
  return slices[index % count].paths;
}

/** By a bound of its own, or because the pages of the console are judged in each form. */
const isLongerBeforeRelease = (path) => /^import .*(thorough|console-page)\.ts';$/m.test(readFileSync(path, 'utf8'));
const lengthOf = (path) => Math.min(releaseSecondsOf(path), 600);

/** The tests that an uncommitted change can reach: by imports, the nearest first, and the acceptance tests of its capability. */
export function changed() {
  const lines = execFileSync('git', ['status', '--porcelain', '--untracked-files=all', '--no-renames'], { cwd: root, encoding: 'utf8' });
  const paths = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => join(root, line.slice(3)));
  const near = new Map([...importersOf(paths)].filter(([path]) => TEST.test(path)));
  const chosen = [];
  let seconds = 0;
  const candidates = [
    ...paths.filter((path) => TEST.test(path) && existsSync(path)).map((path) => [path, 0]),
    ...sources()
      .filter((path) => isAcceptanceOf(path, paths))
      .map((path) => [path, 1]),
    ...near,
  ];
  for (const [path] of candidates.toSorted(
    ([one, distance], [other, further]) => distance - further || secondsOf(one) - secondsOf(other),
  )) {
    if (chosen.includes(path) || seconds + Math.min(secondsOf(path), CHANGED_SECONDS / 2) > CHANGED_SECONDS) continue;
    seconds += Math.min(secondsOf(path), CHANGED_SECONDS / 2);
    chosen.push(path);
  }
  const reached = new Set(candidates.map(([path]) => path)).size;
  return { changed: paths.map((path) => relative(root, path)), chosen, left: reached - chosen.length };
}

/** Every file that imports one of these, directly or not, with the length of the way. */
function importersOf(paths) {
  const importers = new Map();
  for (const path of sources()) {
    for (const [, imported] of readFileSync(path, 'utf8').matchAll(IMPORT)) {
      const target = imported.startsWith('.') ? resolve(dirname(path), imported) : imported;
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  const found = new Map(paths.map((path) => [path, 0]));
  for (const [path, distance] of found)
    for (const importer of importers.get(path) ?? []) if (!found.has(importer)) found.set(importer, distance + 1);
  return found;
}

/** Of the capability that a source belongs to. */
function isAcceptanceOf(path, paths) {
  const [, capability] = /test\/acceptance\/([^/]+)\/[^/]+\.spec\.ts$/.exec(path) ?? [];
  return capability !== undefined && paths.some((source) => relative(root, source).startsWith(`src/${capability}/`));
}

/** By turns: another one with each commit. A clone without a history has the first. */
export function sliceOfCommit() {
  try {
    return Number(
      execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  } catch {
    return 0;
  }
}
