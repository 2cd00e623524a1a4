// Runs before the packages are installed: Node's own modules only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const MIN_NODE = [20, 19];

/** Installs missing packages and builds changed sources; prints nothing when both are up to date. */
export function prepare() {
  checkNode();
  install();
  build();
}

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  stop(`Watchledger needs Node ${MIN_NODE.join('.')} or later, found ${process.versions.node}: see https://nodejs.org`);
}

/** Compares the content of the lock file, not its time: switching branches back and forth installs nothing. */
export function install() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const stamp = join(root, 'node_modules', '.watchledger-installed');
  const wanted = sha256(lock);
  if (textOf(stamp) === wanted) return;
  if (!isInstalled(lock)) step('installing packages', installPackages);
  try {
    writeFileSync(stamp, wanted);
  } catch {
    // node_modules is not writable: checked again at the next start.
  }
}

/** No package needs an install script; missing symbolic links of the embedded database are created when it starts. */
function installPackages() {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (spawnSync(npm(), ['ci', ...flags], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0) return;
  // A registry may lack a package of another platform, which `npm ci` reports as an outdated lock file.
  say('npm ci failed; trying npm install with the same lock file');
  run(npm(), ['install', '--no-save', ...flags], 'the packages could not be installed');
}

/** Beside the sources. The bundle contains packages: another version of one is another build. */
const BUILD_INPUTS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

export function build() {
  const stamp = join(root, 'dist', '.built');
  const sources = listing(join(root, 'src'));
  const wanted = sha256([...sources.map((file) => fingerprint(file)), ...BUILD_INPUTS.map(contentOf), 'v2'].join('\n'));
  if (textOf(stamp) === wanted) return;
  step('building', () => {
    rmSync(stamp, { force: true });
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    run(process.execPath, [tsc, '-p', 'tsconfig.build.json'], 'the build failed');
    removeOrphans(sources);
    run(process.execPath, [join(root, 'src', 'launch', 'bundle.mjs')], 'the build failed');
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
  });
}

/** Every package of the lock file is in npm's own record and on the disk; packages for other platforms are optional. */
function isInstalled(lock) {
  const installed = textOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const present = JSON.parse(installed).packages ?? {};
  return Object.entries(JSON.parse(lock).packages).every(
    ([path, { version, optional }]) =>
      path === '' || optional === true || (present[path]?.version === version && existsSync(join(root, path))),
  );
}

/** The compiler keeps the output of removed sources, which code that lists a folder would still find. */
function removeOrphans(sources) {
  const expected = new Set(sources.map((file) => relative(join(root, 'src'), file).replace(/\.ts$/, '')));
  const modules = join(root, 'dist', 'modules');
  for (const file of listing(modules)) {
    const name = relative(modules, file);
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
  // Standard output is reserved for results: the output of these commands goes to standard error.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error !== undefined) stop(`${complaint}: ${error.message}`);
  if (status !== 0) stop(`${complaint} (${command} exited with ${status})`);
}

export const say = (line) => process.stderr.write(`watchledger: ${line}\n`);

function stop(line) {
  say(line);
  process.exit(1);
}
