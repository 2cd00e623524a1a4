import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../test/support/database.ts';
import { claimsContract } from './claims.contract.ts';
import { PostgresClaims } from './postgres-claims.ts';

claimsContract('postgres', async () => {
  const { pool, drop } = await createTestDatabase();
  return { claims: new PostgresClaims(pool), elapse: (seconds) => sleep(seconds * 1_000), close: drop };
});
