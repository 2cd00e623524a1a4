import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../../bench/support/register.mjs';
import { prepare, root } from '../../src/launch/prepare.mjs';

// npm run test:upgrade -- --from COMMIT | --built FOLDER
// A rolling upgrade from an earlier version of this repository, or from a folder in which it is built, with two checkers at work (docs/faults.md, Upgrade).

const { values } = parseArgs({ options: { from: { type: 'string' }, built: { type: 'string' } } });
if ((values.from === undefined) === (values.built === undefined)) {
  console.error('test:upgrade: --from names a commit of this repository, or --built a folder with an earlier version that is built');
  process.exit(1);
}
prepare('all');
const { upgradeWhileChecking } = await import('./rolling-upgrade.ts');

const say = (line) => console.log(line);
const folder = values.built ?? mkdtempSync(join(tmpdir(), 'watchledger-former-'));
try {
  if (values.from !== undefined) buildAt(values.from, folder);
  await upgradeWhileChecking(join(folder, 'dist', 'main.js'), say);
} finally {
  if (values.built === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit();

/** With the packages of its own lock file. */
function buildAt(commit, into) {
  say(`building ${commit} ...`);
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', into], { input: archive });
  const build = `(await import('./src/launch/prepare.mjs')).prepare()`;
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: into, stdio: 'inherit' });
}
