// Runs before anything is installed: node's own modules only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const LEAST_NODE = [20, 19];

/** Installs what is missing and builds what changed; says what it does, and nothing when there is nothing to do. */
export function prepare() {
  checkNode();
  install();
  build();
}

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  stop(`Watchledger needs Node ${LEAST_NODE.join('.')} or later, this is ${process.versions.node}: see https://nodejs.org`);
}

/** By the lock file, not by its time: a branch that was switched back needs nothing. */
export function install() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const stamp = join(root, 'node_modules', '.watchledger-installed');
  const wanted = sha256(lock);
  if (textOf(stamp) === wanted) return;
  if (!isInstalled(lock)) step('installing packages', installPackages);
  try {
    writeFileSync(stamp, wanted);
  } catch {
    // node_modules of another owner: checked again at the next start.
  }
}

/** Nothing that we use needs an install script; the database's missing links are mended when it starts. */
function installPackages() {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (spawnSync(npm(), ['ci', ...flags], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0) return;
  // A registry may lack a package of another platform, which `npm ci` takes for a lock file that is out of date.
  say('npm ci did not work out; trying npm install by the same lock file');
  run(npm(), ['install', '--no-save', ...flags], 'the packages could not be installed');
}

export function build() {
  const stamp = join(root, 'dist', '.built');
  const sources = listing(join(root, 'src'));
  const wanted = sha256(
    [...sources.map((file) => fingerprint(file)), ...['tsconfig.json', 'tsconfig.build.json'].map(contentOf), 'v1'].join('\n'),
  );
  if (textOf(stamp) === wanted) return;
  step('building', () => {
    rmSync(stamp, { force: true });
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    run(process.execPath, [tsc, '-p', 'tsconfig.build.json'], 'the build failed');
    removeOrphans(sources);
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
  });
}

/** Every package of the lock file must be there, as npm wrote it down and on the disk; packages for other platforms are optional. */
function isInstalled(lock) {
  const installed = textOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const present = JSON.parse(installed).packages ?? {};
  return Object.entries(JSON.parse(lock).packages).every(
    ([path, { version, optional }]) =>
      path === '' || optional === true || (present[path]?.version === version && existsSync(join(root, path))),
  );
}

/** The compiler leaves the output of a source that was removed; a table that reads a folder would still find it. */
function removeOrphans(sources) {
  const expected = new Set(sources.map((file) => relative(join(root, 'src'), file).replace(/\.ts$/, '')));
  for (const file of listing(join(root, 'dist'))) {
    const name = relative(join(root, 'dist'), file);
    if (/\.(js|js\.map|d\.ts)$/.test(name) && !expected.has(name.replace(/\.(js|js\.map|d\.ts)$/, ''))) rmSync(file);
  }
}

const listing = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listing(path) : [path];
  });

const fingerprint = (file) => {
  const { mtimeMs, size } = statSync(file);
  return `${relative(root, file)} ${mtimeMs} ${size}`;
};

const contentOf = (name) => readFileSync(join(root, name), 'utf8');
const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const npm = () => (process.platform === 'win32' ? 'npm.cmd' : 'npm');

function step(what, work) {
  const started = Date.now();
  say(`${what} ...`);
  work();
  say(`${what} took ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function run(command, args, complaint) {
  // Standard output is kept for results, so what these say goes to standard error.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error !== undefined) stop(`${complaint}: ${error.message}`);
  if (status !== 0) stop(`${complaint} (${command} ended with ${status})`);
}

export const say = (line) => process.stderr.write(`watchledger: ${line}\n`);

function stop(line) {
  say(line);
  process.exit(1);
}
