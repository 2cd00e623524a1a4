import { parseArgs } from 'node:util';
import '../../bench/support/register.mjs';
import { prepare } from '../../src/launch/prepare.mjs';

// npm run test:overload -- [--seconds 300] [--projects 2500] [--factor 5] [--http]
// The service gets a fifth of the processor time that it needs (docs/operations.md, Overload). Needs Linux: it reads /proc.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    projects: { type: 'string', default: '2500' },
    factor: { type: 'string', default: '5' },
    http: { type: 'boolean', default: false },
  },
});
prepare();
const { default: pg } = await import('pg');
const { openBenchDatabases } = await import('../../bench/support/databases.ts');
const { overload } = await import('./overload.ts');

const say = (line) => console.log(line);
const databases = await openBenchDatabases(say);
const url = await databases.create();
const pool = new pg.Pool({ connectionString: url, max: 8 });
pool.on('error', () => undefined);
try {
  const { violations, ...figures } = await overload({
    database: { url, pool, drop: () => pool.end() },
    projects: Number(values.projects),
    factor: Number(values.factor),
    calibrationSeconds: 30,
    overloadSeconds: Number(values.seconds),
    transitionSeconds: 0,
    https: !values.http,
    say,
  });
  say(JSON.stringify(figures, null, 2));
  for (const violation of violations) say(`VIOLATED: ${violation}`);
  if (violations.length === 0) say('everything held');
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  await databases.stop();
}
process.exit();
