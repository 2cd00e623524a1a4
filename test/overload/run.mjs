import { parseArgs } from 'node:util';
import '../../bench/support/register.mjs';
import { prepare } from '../../src/operations/launch/prepare.mjs';

// npm run test:overload -- [--seconds 300] [--projects 1500] [--factor 5] [--http]
// Exit code 0: everything held, 1: something did not, 2: the machine is too slow or too busy to judge.
// The service gets a fifth of the processor time that it needs (docs/operations.md, Overload). Needs Linux: it reads /proc.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    projects: { type: 'string', default: '1500' },
    factor: { type: 'string', default: '5' },
    http: { type: 'boolean', default: false },
  },
});
prepare('all');
const { default: pg } = await import('pg');
const { openBenchDatabases } = await import('../../bench/support/databases.ts');
const { MachineTooSlow, overload } = await import('./overload.ts');

/** An overload leaves a turn of each project behind. With a third of a core to spare they are made in two periods, half of the time that recovery has. */
const HEADROOM = { onTimeWithinSeconds: 120, maxShare: 2 / 3 };

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
    headroom: HEADROOM,
    overloadSeconds: Number(values.seconds),
    transitionSeconds: 0,
    https: !values.http,
    say,
  });
  say(JSON.stringify(figures, null, 2));
  for (const violation of violations) say(`VIOLATED: ${violation}`);
  if (violations.length === 0) say('everything held');
  process.exitCode = violations.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof MachineTooSlow)) throw error;
  say(`NOT JUDGED: ${error.message}`);
  process.exitCode = 2;
} finally {
  await databases.stop();
}
process.exit();
