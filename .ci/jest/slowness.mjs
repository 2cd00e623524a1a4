import { createHash } from 'node:crypto';

const HASHED = Buffer.alloc(1 << 20, 7);
const MEGABYTES = 300;
/** On the machine on which the deadlines of the tests were chosen, with nothing else running. */
const REFERENCE_MS = 275;

/** How many times longer this machine takes now for a fixed piece of work, by the clock; at least 1. The deadlines of `test/support/until.ts` grow with it. */
export function slowness() {
  const begun = performance.now();
  const hash = createHash('sha256');
  for (let count = 0; count < MEGABYTES; count++) hash.update(HASHED);
  hash.digest();
  return Math.max(1, (performance.now() - begun) / REFERENCE_MS);
}
