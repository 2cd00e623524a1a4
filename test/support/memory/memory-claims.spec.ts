import { claimsContract } from '../../../src/platform/postgres/claims.contract.ts';
import { MemoryClaims } from './memory-claims.ts';

claimsContract('memory', () => {
  let now = 0;
  const elapse = (seconds: number): Promise<void> => {
    now += seconds * 1_000;
    return Promise.resolve();
  };
  return Promise.resolve({ claims: new MemoryClaims({ now: () => now }), elapse, close: () => Promise.resolve() });
});
