/** Enough for 64 checkers to share a location, few enough that one of them holds all. */
export const SHARDS = 64;
const PREFIXES = 256 / SHARDS;

export const shardNumbers: readonly number[] = Array.from({ length: SHARDS }, (_, number) => number);

/**
 * The share of the projects that a project belongs to, whatever its location. Ids are hashes (`derivedObjectId`), so equal ranges of their first byte hold
 * equally many, and the observations of a shard are a range of every index that begins with the project.
 */
export const shardNumberOf = (projectId: string): number => Math.floor(Number.parseInt(projectId.slice(0, 2), 16) / PREFIXES);

/** `shardNumberOf` in SQL, of an id as bytes. */
export const sqlShardOf = (id: string): string => `get_byte(${id}, 0) / ${String(PREFIXES)}`;

/** The first and the last id that a shard can hold. */
export const idsOfShard = (shard: number): { readonly first: Buffer; readonly last: Buffer } => ({
  first: Buffer.from((shard * PREFIXES).toString(16).padStart(2, '0').padEnd(24, '0'), 'hex'),
  last: Buffer.from(((shard + 1) * PREFIXES - 1).toString(16).padStart(2, '0').padEnd(24, 'f'), 'hex'),
});

/** A shard of a location: the name of the lease that a checker must hold to check its projects. */
export const shardOf = (location: string, projectId: string): string => shardName(location, shardNumberOf(projectId));

export const shardsOf = (location: string): readonly string[] => shardNumbers.map((shard) => shardName(location, shard));

/** The count is part of the name: leases of another numbering do not overlap with these (`checker.tables.ts`). */
const shardName = (location: string, shard: number): string => `checker ${location} ${String(shard)}/${String(SHARDS)}`;

export const numberOfShard = (name: string): number => Number.parseInt(name.slice(name.lastIndexOf(' ') + 1), 10);
