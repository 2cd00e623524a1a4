import { expect, it } from '@jest/globals';
import { ObservationSchemas, schemasOf } from './schemas.ts';
import { shardNumberOf, shardNumbers, shardOf, sqlShardOf } from './shards.ts';

const PROJECT = 'a7'.padEnd(24, '0');

it('is one without a name by default, whatever its leases are called', () => {
  const schemas = schemasOf({});
  expect(schemas.all.map(({ name }) => name)).toEqual([null]);
  expect([schemas.ofProject(PROJECT).table('run_hour'), schemas.ofLease('eu').statement('run_tail')]).toEqual(['run_hour', 'run_tail']);
});

it.each([2, 16, 64])('spreads the shards equally over %i schemas', (count) => {
  const schemas = new ObservationSchemas(count);
  const shards = [...schemas.group(shardNumbers, (shard) => schemas.ofShard(shard))];
  expect(new Set(shards.map(([, ofSchema]) => ofSchema.length))).toEqual(new Set([64 / count]));
  expect(shards.map(([schema]) => schema)).toEqual(schemas.all);
});

it('finds a project and the lease of its shard in the same schema', () => {
  const schemas = new ObservationSchemas(16);
  expect(shardNumberOf(PROJECT) % 16).toBe(9);
  expect(schemas.ofProject(PROJECT).table('sample_hour')).toBe('obs_09.sample_hour');
  expect(schemas.ofLease(shardOf('eu', PROJECT))).toBe(schemas.ofProject(PROJECT));
  expect(sqlShardOf('project_id')).toBe('get_byte(project_id, 0) / 4');
});

it('refuses a lease that is of no shard', () => {
  expect(() => new ObservationSchemas(4).ofLease('notifier')).toThrow('there is no shard NaN');
});
