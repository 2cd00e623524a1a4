import '../../bench/support/register.mjs';

// node test/faults/run.mjs [ROUNDS] [SEED]: nothing that was acknowledged may be lost, or stand twice, however processes die.

const { killAtRandom } = await import('./killed.ts');

const rounds = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
console.log(`${rounds} rounds, seed ${seed}`);
await killAtRandom(rounds, seededRandom(seed), (line) => console.log(line));

/** mulberry32 */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
