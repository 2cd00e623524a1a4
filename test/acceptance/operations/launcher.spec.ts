import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const PREPARE = 'src/operations/launch/prepare.mjs';
let clone: string;

/** Stands in for the bundler, which would need packages of a registry. */
const BUNDLE = `
  import { execFileSync } from 'node:child_process';
  import { copyFileSync, readdirSync } from 'node:fs';
  for (const name of readdirSync('src')) {
    if (!name.endsWith('.js')) continue;
    execFileSync(process.execPath, ['--check', 'src/' + name], { stdio: 'ignore' });
    copyFileSync('src/' + name, 'dist/' + name);
  }`;

/** A small project with the launcher; its packages are local, so no registry is needed. */
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'launcher-'));
  mkdirSync(join(clone, 'src/operations/launch'), { recursive: true });
  cpSync(join(root, PREPARE), join(clone, PREPARE));
  writeFileSync(join(clone, 'src/operations/launch/bundle.mjs'), BUNDLE);
  writeFileSync(join(clone, 'src/main.js'), 'export const main = 1;\n');
  writeFileSync(join(clone, 'src/removed.js'), 'export const removed = 1;\n');
  for (const name of ['needed', 'for-tests']) {
    mkdirSync(join(clone, name));
    writeFileSync(join(clone, name, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  }
  const [dependencies, devDependencies] = [{ needed: 'file:./needed' }, { 'for-tests': 'file:./for-tests' }];
  writeFileSync(
    join(clone, 'package.json'),
    JSON.stringify({ name: 'clone', version: '1.0.0', type: 'module', dependencies, devDependencies }),
  );
  npm('install', '--package-lock-only', '--offline');
});
afterAll(() => {
  rmSync(clone, { recursive: true, force: true });
});

const npm = (...args: string[]) => {
  const { status, stderr } = spawnSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: clone, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
};
/** The steps that the launcher reports. */
function prepare(packages = 'production', before = ''): { status: number | null; said: string[] } {
  const script = `${before}; const { prepare } = await import('./${PREPARE}'); prepare('${packages}');`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: clone, encoding: 'utf8' });
  return { status, said: stderr.split('\n').flatMap((line) => /^watchledger: (.+?)(?: \.\.\.)?$/.exec(line)?.[1] ?? []) };
}
const stepsOf = ({ said }: ReturnType<typeof prepare>): string[] => said.filter((line) => !line.includes('took'));
const installed = (): string[] => readdirSync(join(clone, 'node_modules')).filter((name) => !name.startsWith('.'));

describe('npm start in a fresh clone', () => {
  it('installs and builds with progress messages, and does neither the second time', () => {
    const first = prepare();
    expect(first.status).toBe(0);
    expect(stepsOf(first)).toEqual(['installing packages', 'building']);
    expect(existsSync(join(clone, 'dist/main.js'))).toBe(true);
    expect(prepare()).toEqual({ status: 0, said: [] });
  });

  it('installs what only tests and checks need for them, and keeps it from then on', () => {
    expect(installed()).toEqual(['needed']);
    expect(stepsOf(prepare('all'))).toEqual(['installing the packages of tests and checks']);
    expect(installed()).toEqual(['for-tests', 'needed']);
    expect([prepare(), prepare('all')]).toEqual([
      { status: 0, said: [] },
      { status: 0, said: [] },
    ]);
    expect(installed()).toEqual(['for-tests', 'needed']);
  });

  it('rebuilds after a change and removes the output of deleted sources', () => {
    writeFileSync(join(clone, 'src/main.js'), 'export const main = 2;\n');
    rmSync(join(clone, 'src/removed.js'));
    expect(prepare().said[0]).toBe('building');
    expect(readFileSync(join(clone, 'dist/main.js'), 'utf8')).toContain('main = 2');
    expect(existsSync(join(clone, 'dist/removed.js'))).toBe(false);
  });

  it('rebuilds nothing after a change of a test', () => {
    writeFileSync(join(clone, 'src/main.spec.ts'), '');
    expect(prepare().said).toEqual([]);
  });

  it('reinstalls, with what tests need where it was there, and rebuilds when the lock file changes', () => {
    mkdirSync(join(clone, 'extra'));
    writeFileSync(join(clone, 'extra/package.json'), JSON.stringify({ name: 'extra', version: '1.0.0' }));
    npm('install', '--package-lock-only', '--offline', './extra');
    expect(stepsOf(prepare())).toEqual(['installing packages', 'building']);
    expect(installed()).toEqual(['extra', 'for-tests', 'needed']);
  });

  it('prints the help of the last build, and builds what changed before any other command', () => {
    const command = 'src/operations/launch/cli.mjs';
    const run = (...args: readonly string[]): { readonly stdout: string; readonly stderr: string } =>
      spawnSync(process.execPath, [command, ...args], { cwd: clone, encoding: 'utf8' });
    cpSync(join(root, command), join(clone, command));
    writeFileSync(join(clone, 'src/cli.js'), `console.log('one');`);
    expect(run('--help')).toMatchObject({ stdout: 'one\n', stderr: expect.stringContaining('building') });
    writeFileSync(join(clone, 'src/cli.js'), `console.log('another');`);
    expect(run('--help')).toMatchObject({ stdout: 'one\n', stderr: '' });
    expect(run('list')).toMatchObject({ stdout: 'another\n', stderr: expect.stringContaining('building') });
  });

  it('does not start when the build fails', () => {
    writeFileSync(join(clone, 'src/main.js'), 'export const main = ;\n');
    const { status, said } = prepare();
    expect(status).toBe(1);
    expect(said.at(-1)).toMatch(/^the build failed/);
    expect(prepare().status).toBe(1);
  });

  it('names the Node version it needs', () => {
    const old = prepare('production', `Object.defineProperty(process.versions, 'node', { value: '18.20.4' })`);
    expect(old).toEqual({ status: 1, said: ['Watchledger needs Node 20.19 or later, found 18.20.4: see https://nodejs.org'] });
  });
});
