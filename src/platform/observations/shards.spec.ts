import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { idBytes } from './packs/pack-kind.ts';
import { idsOfShard, shardNumberOf, shardNumbers, SHARDS } from './shards.ts';

const ids = fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('hex'));

it('gives every id to exactly one shard, within its range of ids', () => {
  fc.assert(
    fc.property(ids, (id) => {
      const holding = shardNumbers.filter((shard) => {
        const { first, last } = idsOfShard(shard);
        return first.compare(idBytes(id)) <= 0 && last.compare(idBytes(id)) >= 0;
      });
      expect(holding).toEqual([shardNumberOf(id)]);
    }),
  );
});

it('leaves no id between two shards', () => {
  expect(idsOfShard(0).first.toString('hex')).toBe('0'.repeat(24));
  expect(idsOfShard(SHARDS - 1).last.toString('hex')).toBe('f'.repeat(24));
  for (const shard of shardNumbers.slice(1))
    expect(BigInt(`0x${idsOfShard(shard).first.toString('hex')}`)).toBe(BigInt(`0x${idsOfShard(shard - 1).last.toString('hex')}`) + 1n);
});
