import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findMasterKeys, loadMasterKeys, renewMasterKeyFile } from './master-key.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'master-key-'));
});
afterEach(() => rm(folder, { recursive: true }));

const inFiles = (dataDir: string) => ({ masterKey: undefined, masterKeyPrevious: undefined, dataDir });

describe('the master key', () => {
  it('is taken from the configuration, without creating a file', async () => {
    const given = randomBytes(32);
    expect(await loadMasterKeys({ masterKey: given, masterKeyPrevious: undefined, dataDir: folder })).toEqual([given]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is created once by concurrent starts, readable by its owner only', async () => {
    const inner = join(folder, 'data');
    const keys = await Promise.all(Array.from({ length: 5 }, () => loadMasterKeys(inFiles(inner))));
    expect(new Set([...keys, await loadMasterKeys(inFiles(inner))].map(([key]) => key?.toString('hex'))).size).toBe(1);
    expect(await readdir(inner)).toEqual(['master.key']);
    expect((await stat(join(inner, 'master.key'))).mode & 0o777).toBe(0o600);
  });

  it('restricts a file that other users could read', async () => {
    await loadMasterKeys(inFiles(folder));
    await chmod(join(folder, 'master.key'), 0o644);
    await loadMasterKeys(inFiles(folder));
    expect((await stat(join(folder, 'master.key'))).mode & 0o777).toBe(0o600);
  });

  it('is renewed with the present one beside it', async () => {
    const [present] = await loadMasterKeys(inFiles(folder));
    await renewMasterKeyFile(folder);
    const [renewed, previous] = await findMasterKeys(inFiles(folder));
    expect(previous).toEqual(present);
    expect(renewed).not.toEqual(present);
    expect((await readdir(folder)).toSorted()).toEqual(['master.key', 'master.key.previous']);
    expect((await stat(join(folder, 'master.key.previous'))).mode & 0o777).toBe(0o600);
  });

  it('never replaces a damaged file', async () => {
    await writeFile(join(folder, 'master.key'), 'half');
    await expect(loadMasterKeys(inFiles(folder))).rejects.toThrow('does not hold a key');
  });
});
