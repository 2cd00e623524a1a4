import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const PREPARE = 'src/launch/prepare.mjs';
let clone: string;

/** A small project with the launcher; its only package is local, so no registry is needed. */
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'launcher-'));
  mkdirSync(join(clone, 'src/launch'), { recursive: true });
  cpSync(join(root, PREPARE), join(clone, PREPARE));
  writeFileSync(join(clone, 'src/launch/bundle.mjs'), `import { cpSync } from 'node:fs'; cpSync('dist/modules/main.js', 'dist/main.js');`);
  writeFileSync(join(clone, 'src/main.ts'), 'export const main = 1;\n');
  writeFileSync(join(clone, 'src/removed.ts'), 'export const removed = 1;\n');
  const options = { target: 'es2022', module: 'nodenext', rootDir: 'src', outDir: 'dist/modules', types: [] };
  for (const name of ['tsconfig.json', 'tsconfig.build.json'])
    writeFileSync(join(clone, name), JSON.stringify({ compilerOptions: options, include: ['src'] }));
  writeFileSync(
    join(clone, 'package.json'),
    JSON.stringify({
      name: 'clone',
      version: '1.0.0',
      type: 'module',
      dependencies: { typescript: `file:${join(root, 'node_modules/typescript')}` },
    }),
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
function prepare(before = ''): { status: number | null; said: string[] } {
  const script = `${before}; const { prepare } = await import('./${PREPARE}'); prepare();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: clone, encoding: 'utf8' });
  return { status, said: stderr.split('\n').flatMap((line) => /^watchledger: (.+?)(?: \.\.\.)?$/.exec(line)?.[1] ?? []) };
}

describe('npm start in a fresh clone', () => {
  it('installs and builds with progress messages, and does neither the second time', () => {
    const first = prepare();
    expect(first.status).toBe(0);
    expect(first.said.filter((line) => !line.includes('took'))).toEqual(['installing packages', 'building']);
    expect(existsSync(join(clone, 'dist/main.js'))).toBe(true);
    expect(prepare()).toEqual({ status: 0, said: [] });
  });

  it('rebuilds after a change and removes the output of deleted sources', () => {
    writeFileSync(join(clone, 'src/main.ts'), 'export const main = 2;\n');
    rmSync(join(clone, 'src/removed.ts'));
    expect(prepare().said[0]).toBe('building');
    expect(readFileSync(join(clone, 'dist/main.js'), 'utf8')).toContain('main = 2');
    expect(existsSync(join(clone, 'dist/modules/removed.js'))).toBe(false);
  });

  it('reinstalls and rebuilds when the lock file changes', () => {
    mkdirSync(join(clone, 'extra'));
    writeFileSync(join(clone, 'extra/package.json'), JSON.stringify({ name: 'extra', version: '1.0.0' }));
    npm('install', '--package-lock-only', '--offline', './extra');
    expect(prepare().said.filter((line) => !line.includes('took'))).toEqual(['installing packages', 'building']);
    expect(existsSync(join(clone, 'node_modules/extra/package.json'))).toBe(true);
  });

  it('does not start when the build fails', () => {
    writeFileSync(join(clone, 'src/main.ts'), 'export const main = ;\n');
    const { status, said } = prepare();
    expect(status).toBe(1);
    expect(said.at(-1)).toMatch(/^the build failed/);
    expect(prepare().status).toBe(1);
  });

  it('names the Node version it needs', () => {
    const old = prepare(`Object.defineProperty(process.versions, 'node', { value: '18.20.4' })`);
    expect(old).toEqual({ status: 1, said: ['Watchledger needs Node 20.19 or later, found 18.20.4: see https://nodejs.org'] });
  });
});
