/** Every number of a Postgres advisory lock, so that no two parts use the same one. A number in use never changes: instances of two versions may run side by side. */
export const ADVISORY_LOCKS = {
  migrations: 727_001,
  /** Serialises appends, which makes the order of the log gapless. */
  append: 727_002,
  /** With the hash of the kind and the owner as second key. */
  claims: 727_003,
  firstAccount: 727_004,
  /** With the slot as second key; a version before the shards takes sixteen times it plus the slot. */
  repackSamples: 727_005,
  repackRuns: 727_006,
  dayPartitions: 727_007,
  /** With the hash of the location as second key. */
  shardNumbering: 727_008,
  observationsMove: 727_009,
  observationSchemas: 727_010,
  /** Creation and swap of the schemas of projections. */
  projectionSchemas: 727_031,
  replay: 727_062,
} as const;
