import { randomBytes } from 'node:crypto';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { BackupWorld, master, quiet } from '../../../test/support/backup-world.ts';
import { frameHead, type FrameKind, MAC_BYTES, MAGIC, macOf } from './frames.ts';
import { checkBackup, readFileHead } from './read-backup.ts';

const world = BackupWorld.prepare();

describe('a damaged or forged backup', () => {
  const refused = async (): Promise<string> => {
    try {
      await readFileHead(world.file, master);
      await checkBackup(world.file, master, quiet);
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
    return 'taken';
  };

  it('is refused wherever it is truncated', async () => {
    await world.copyTaken();
    const { length } = await readFile(world.file);
    for (const at of [length - 1, length - MAC_BYTES, length - 40, Math.floor(length / 2), MAGIC.length + 3, MAGIC.length, 5, 0]) {
      await truncate(world.file, at);
      expect(await refused()).toMatch(/truncated|not a Watchledger backup/);
    }
  });

  it.each([0.02, 0.3, 0.6, 0.99])('is refused with one bit changed at %d of it', async (place) => {
    await world.copyTaken();
    const bytes = await readFile(world.file);
    const at = Math.floor(bytes.length * place);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(world.file, bytes);
    expect(await refused()).toMatch(/^StartRefused: /);
  });

  it('is refused with trailing data, with another master key, and when it is another kind of file', async () => {
    await world.copyTaken();
    await expect(readFileHead(world.file, randomBytes(32))).rejects.toThrow('another master key');
    await writeFile(world.file, Buffer.concat([await readFile(world.file), Buffer.from('x')]));
    expect(await refused()).toContain('has data after its end');
    await writeFile(world.file, 'PGDMP and so on, a long file of something else');
    expect(await refused()).toContain('is not a Watchledger backup');
    await rm(world.file);
    expect(await refused()).toContain('ENOENT');
  });

  type Piece = readonly [FrameKind, object | Buffer];
  /** A forgery with a valid MAC, by an attacker who has the master key. */
  const forge = async (...pieces: readonly Piece[]): Promise<void> => {
    await world.copyTaken();
    const head = await readFileHead(world.file, master);
    const frames = [['H', head] as Piece, ...pieces].flatMap(([kind, value]) => {
      const payload = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
      return [frameHead(kind, payload.length), payload];
    });
    const bytes = Buffer.concat([MAGIC, ...frames]);
    await writeFile(world.file, Buffer.concat([bytes, frameHead('Z', MAC_BYTES), macOf(master).update(bytes).digest()]));
  };
  const row = deflateRawSync(Buffer.from('\\N\n'));

  it.each(['pg_authid', 'projection', '../../etc/passwd', 'log; DROP TABLE log', 'passwords', '__proto__'])(
    'is refused with a table %s',
    async (table) => {
      await forge(['T', { table, columns: ['n'] }], ['D', row], ['E', { rows: 1 }]);
      await expect(world.restore()).rejects.toThrow(/does not belong there/);
      expect(await world.isEmpty()).toBe(true);
    },
  );

  it.each(['n") FROM STDIN; DROP TABLE log; --', 'nothing', 'ctid'])('is refused with a column %s', async (name) => {
    await forge(['T', { table: 'log', columns: [name] }], ['D', row], ['E', { rows: 1 }]);
    await expect(world.restore()).rejects.toThrow(/a column that log does not have/);
    expect(await world.isEmpty()).toBe(true);
  });

  it('is refused with a table twice, with frames out of order, and with a wrong row count', async () => {
    const claim: Piece = ['T', { table: 'claim', columns: ['kind', 'key', 'holder'] }];
    const one: Piece = ['D', deflateRawSync(Buffer.from('a\tb\tc\n'))];
    await forge(claim, one, ['E', { rows: 1 }], claim, ['E', { rows: 0 }]);
    await expect(world.restore()).rejects.toThrow(/does not belong there/);
    await forge(one, claim);
    await expect(world.restore()).rejects.toThrow(/out of order/);
    await forge(claim, one, ['E', { rows: 2 }]);
    await expect(world.restore()).rejects.toThrow(/row count of claim does not match/);
    await forge(claim, one);
    await expect(world.restore()).rejects.toThrow(/has no end/);
    expect(await world.isEmpty()).toBe(true);
  });

  it('is refused when a frame exceeds its limit, compressed or not', async () => {
    await forge(['T', { table: 'log', columns: ['n'] }], ['D', deflateRawSync(Buffer.alloc(200_000_000))], ['E', { rows: 1 }]);
    await expect(world.restore()).rejects.toThrow(/damaged/);
    const bytes = await readFile(world.file);
    await writeFile(world.file, Buffer.concat([MAGIC, Buffer.from('H'), Buffer.from('ffffffff', 'hex'), bytes]));
    expect(await refused()).toContain('a frame of 4294967295 bytes');
  });
});
