import { parseArgs } from 'node:util';
import '../support/register.mjs';

// npm run load -- [--projects 10000] [--minutes 10] [--split] [--sizes 2500,5000]: the whole service at a size, and what it takes over time.
// Writes the picture and the table of docs/performance.md for sizes of an hour's patience; smaller ones, and several sizes side by side, are only printed.

const { values } = parseArgs({
  options: {
    projects: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '10' },
    split: { type: 'boolean', default: false },
    sizes: { type: 'string' },
  },
});
const { runLoad } = await import('./load-test.ts');
const { report } = await import('./report.ts');
const { tableBySize } = await import('./by-size.ts');

const run = (projects) => runLoad({ projects, minutes: Number(values.minutes), split: values.split, say: (line) => console.error(line) });

if (values.sizes === undefined) report(await run(Number(values.projects)));
else {
  const loads = [];
  for (const size of values.sizes.split(',')) loads.push(await run(Number(size)));
  console.log(tableBySize(loads));
}
