import { hash32 } from '../../kernel/hash.ts';

/** Enough for a dozen instances to share a location evenly, few enough to look at each of them every second. */
export const SHARDS = 16;

/** The lease that a checker must hold to look at a project. */
export const shardOf = (location: string, projectId: string): string => `checker ${location} ${String(hash32(projectId) % SHARDS)}`;

export const shardsOf = (location: string): readonly string[] =>
  Array.from({ length: SHARDS }, (_, shard) => `checker ${location} ${String(shard)}`);
