import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { watchledger, watchledgerProcess } from '../../support/command-line.ts';

const root = resolve(import.meta.dirname, '../../..');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('watchledger', () => {
  it('ends silently when its output pipe is closed', async () => {
    const child = spawn(process.execPath, [join(root, 'dist/cli.js'), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number | null];
    expect({ status, said }).toEqual({ status: 0, said: '' });
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await watchledgerProcess('/', {}, '--version').ran).toEqual({ status: 0, out: `${version}\n`, err: '' });
  });

  it('exits with 2 for wrong usage and with 1 for a failure, and says why on standard error', async () => {
    const [wrong, failed] = [['accounts', 'dance'], ['verify']].map(
      (args) => watchledgerProcess('/', { DATA_DIR: join(folder, 'none') }, ...args).ran,
    );
    expect(await wrong).toEqual({ status: 2, out: '', err: expect.stringContaining("accounts has no action 'dance'") });
    expect(await failed).toEqual({ status: 1, out: '', err: expect.stringMatching(/^watchledger: .*contains no database/) });
  });

  it.each([['verify'], ['replay'], ['accounts', 'list'], ['export', '0'.repeat(24)], ['backup', '/nowhere/backup']])(
    '%s %s creates nothing in an empty data folder',
    async (...argv) => {
      const DATA_DIR = join(folder, 'mistyped');
      const { status, out, err } = await watchledger({ DATA_DIR }, ...argv).ran;
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(/^watchledger: .*(contains no database|no master key)/);
      expect(existsSync(DATA_DIR)).toBe(false);
    },
  );
});
