import { parseArgs } from 'node:util';
import { prepare } from '../../src/operations/launch/prepare.mjs';
import '../support/register.mjs';

// npm run load -- [--projects 10000] [--minutes 10] [--split] [--sizes 2500,5000]: measures the whole service at a size over time.
// npm run load -- --sites 4000 --checks 5 [--minutes 10] [--checkers 2]: sites as docs/scale.md counts them, made at once, restarted after a pause, then over time.
//   --checkers: so many processes check, beside one for the API and one for projections and reactors; without it one process does everything.
// With OBSERVATIONS_URL, and OBSERVATION_SCHEMAS, the observations are there, in an empty database.
// Full-size runs of an hour write the chart and the table of docs/performance.md; smaller runs and comparisons of sizes are only printed.

const { values } = parseArgs({
  options: {
    projects: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '10' },
    split: { type: 'boolean', default: false },
    sizes: { type: 'string' },
    sites: { type: 'string' },
    checks: { type: 'string', default: '5' },
    checkers: { type: 'string', default: '0' },
  },
});
prepare('all');
const { runLoad } = await import('./load-test.ts');
const { report } = await import('./report.ts');
const { tableBySize } = await import('./by-size.ts');

const run = (projects) => runLoad({ projects, minutes: Number(values.minutes), split: values.split, say: (line) => console.error(line) });

if (values.sites !== undefined) {
  const { runSites, siteTable } = await import('./site-load.ts');
  const [sites, checks, checkers, minutes] = [values.sites, values.checks, values.checkers, values.minutes].map(Number);
  const load = await runSites({ sites, checks, checkers, minutes, say: (line) => console.error(line) });
  console.log(siteTable(load));
  if (Object.values(load.recovered).some(({ all }) => all === null || all > 60)) process.exitCode = 1;
} else if (values.sizes === undefined) report(await run(Number(values.projects)));
else {
  const loads = [];
  for (const size of values.sizes.split(',')) loads.push(await run(Number(size)));
  console.log(tableBySize(loads));
}
