import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadMasterKey } from './master-key.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'master-key-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the master key', () => {
  it('is taken from the configuration, without creating a file', async () => {
    const given = randomBytes(32);
    expect(await loadMasterKey(given, folder)).toEqual(given);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is created once by concurrent starts, readable by its owner only', async () => {
    const inner = join(folder, 'data');
    const keys = await Promise.all(Array.from({ length: 5 }, () => loadMasterKey(undefined, inner)));
    expect(new Set([...keys, await loadMasterKey(undefined, inner)].map((key) => key.toString('hex'))).size).toBe(1);
    expect(await readdir(inner)).toEqual(['master.key']);
    expect((await stat(join(inner, 'master.key'))).mode & 0o777).toBe(0o600);
  });

  it('restricts a file that other users could read', async () => {
    await loadMasterKey(undefined, folder);
    await chmod(join(folder, 'master.key'), 0o644);
    await loadMasterKey(undefined, folder);
    expect((await stat(join(folder, 'master.key'))).mode & 0o777).toBe(0o600);
  });

  it('never replaces a damaged file', async () => {
    await writeFile(join(folder, 'master.key'), 'half');
    await expect(loadMasterKey(undefined, folder)).rejects.toThrow('does not hold a key');
  });
});
