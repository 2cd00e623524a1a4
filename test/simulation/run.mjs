import '../../bench/support/register.mjs';

// node test/simulation/run.mjs [DAYS] [SEED] [impatient]: the service on virtual time with fault injection, a year by default. Exits with 1 when an invariant is violated; `impatient` stops at the first violation.

const { simulate } = await import('./simulate.ts');

const days = Number(process.argv[2] ?? 365);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
process.exitCode = (await simulate({ days, seed, impatient: process.argv[4] === 'impatient' }, (line) => console.log(line))) ? 0 : 1;
