import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// npm run docs:import: the second half of docs/import.md from the table of importers
const { coverageMarkdown, withCoverage } = await import('./coverage-page.ts');
const path = join(resolve(import.meta.dirname, '../..'), 'docs', 'import.md');
writeFileSync(path, withCoverage(readFileSync(path, 'utf8'), coverageMarkdown()));
