import { parseArgs } from 'node:util';
import '../support/register.mjs';

// npm run load -- [--projects 10000] [--minutes 10] [--split]: the whole service at a size, and what it takes over time.
// Writes the picture and the table of docs/performance.md for sizes of an hour's patience; smaller ones are only printed.

const { values } = parseArgs({
  options: {
    projects: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '10' },
    split: { type: 'boolean', default: false },
  },
});
const { runLoad } = await import('./load-test.ts');
const { report } = await import('./report.ts');
const load = await runLoad({
  projects: Number(values.projects),
  minutes: Number(values.minutes),
  split: values.split,
  say: (line) => console.error(line),
});
report(load);
