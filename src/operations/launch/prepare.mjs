// Runs before the packages are installed, and with every command: Node's own modules only, and those that most commands need not, late.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const MIN_NODE = [20, 19];

/**
 * Installs missing packages and builds changed sources; prints nothing when both are up to date. `production` is what the service, the command line and
 * the build need; `all` also has what tests, checks and documents need.
 */
export function prepare(packages = 'production') {
  checkNode();
  install(packages);
  build();
}

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  stop(`Watchledger needs Node ${MIN_NODE.join('.')} or later, found ${process.versions.node}: see https://nodejs.org`);
}

/**
 * Compares the content of the lock file where its time changed: switching branches back and forth installs nothing. Where all packages were installed
 * once, they are kept up to date together.
 */
export function install(packages = 'production') {
  const stamp = join(root, 'node_modules', '.watchledger-installed');
  const [digest, present, at] = (textOf(stamp) ?? '').split(' ');
  const isEnough = present === 'all' || present === packages;
  if (isEnough && at === stateOf('package-lock.json')) return;
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const isCurrent = digest === sha256(lock);
  const wanted = present === 'all' ? 'all' : packages;
  const wantsDev = wanted === 'all' ? '--include=dev' : '--omit=dev';
  if (!(isEnough && isCurrent) && !isInstalled(lock, wanted)) {
    if (isCurrent) step('installing the packages of tests and checks', () => npm('install', '--no-save', wantsDev));
    else step('installing packages', () => installAnew(wantsDev));
  }
  try {
    writeFileSync(stamp, `${sha256(lock)} ${wanted} ${stateOf('package-lock.json')}`);
  } catch {
    // node_modules is not writable: checked again at the next start.
  }
}

/** No package needs an install script; missing symbolic links of the embedded database are created when it starts. */
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--no-update-notifier', '--prefer-offline'];
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const npm = (...args) => run(NPM, [...args, ...FLAGS], 'the packages could not be installed');

function installAnew(wantsDev) {
  if (spawn(NPM, ['ci', wantsDev, ...FLAGS], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0) return;
  // A registry may lack a package of another platform, which `npm ci` reports as an outdated lock file.
  say('npm ci failed; trying npm install with the same lock file');
  npm('install', '--no-save', wantsDev);
}

/** The bundle contains packages: another version of one is another build. */
export function build() {
  const dist = join(root, 'dist');
  const stamp = join(dist, '.built');
  const before = textOf(stamp);
  if (isUnchanged(before)) return;
  const built = [...statesIn('src'), `package-lock.json ${stateOf('package-lock.json')}`].join('\n');
  // A test was added or removed: only the times of folders changed.
  if (before !== undefined && withoutFolders(before) === withoutFolders(built)) return writeFileSync(stamp, built);
  step('building', () => {
    mkdirSync(dist, { recursive: true });
    // Output of removed sources would still be found; declarations are made by `npm run build` alone.
    for (const name of readdirSync(dist)) if (name !== 'types') rmSync(join(dist, name), { recursive: true });
    run(process.execPath, [join(import.meta.dirname, 'bundle.mjs')], 'the build failed');
    writeFileSync(stamp, built);
  });
}

/** Every package of the lock file that is wanted is in npm's own record and on the disk; packages for other platforms are optional. */
function isInstalled(lock, packages) {
  const installed = textOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const present = JSON.parse(installed).packages ?? {};
  return Object.entries(JSON.parse(lock).packages).every(
    ([path, { version, optional, dev, devOptional }]) =>
      path === '' ||
      optional === true ||
      (packages === 'production' && (dev === true || devOptional === true)) ||
      (present[path]?.version === version && existsSync(join(root, path))),
  );
}

/** Every command asks: no folder is listed, because a file that is added or removed changes the time of its folder. */
const isUnchanged = (built) =>
  built !== undefined &&
  built.split('\n').every((line) => {
    const end = line.indexOf(' ');
    return stateOf(line.slice(0, end)) === line.slice(end + 1);
  });

const withoutFolders = (states) => states.replaceAll(/^.*:$\n/gm, '');

const TEST = /\.(int-|release-)?spec\.ts$/;

/** What a build is made of: folders, and files but tests. */
function statesIn(folder) {
  const inside = readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return statesIn(path);
    return TEST.test(path) ? [] : [`${path} ${stateOf(path)}`];
  });
  return [`${folder} ${stateOf(folder)}`, ...inside];
}

function stateOf(path) {
  const found = statSync(`${root}/${path}`, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.mtimeMs}:${found.isDirectory() ? '' : found.size}`;
}

const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const sha256 = (text) => process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');

function step(what, work) {
  const started = Date.now();
  say(`${what} ...`);
  work();
  say(`${what} took ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

export function run(command, args, complaint) {
  // Standard output is reserved for results: the output of these commands goes to standard error.
  const { status, error } = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error !== undefined) stop(`${complaint}: ${error.message}`);
  if (status !== 0) stop(`${complaint} (${command} exited with ${status})`);
}

const spawn = (...given) => process.getBuiltinModule('node:child_process').spawnSync(...given);

export const say = (line) => process.stderr.write(`watchledger: ${line}\n`);

function stop(line) {
  say(line);
  process.exit(1);
}
