import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { mutants } from './mutant-table.ts';

const read = (path: string): string => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8');

describe('a mutant', () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    'quotes an existing line and is listed in docs/simulation.md: %s',
    (_, { name, file, find }) => {
      expect(read(file).split(find)).toHaveLength(2);
      expect(read('docs/simulation.md')).toContain(`| ${name} | \`${file}\` |`);
    },
  );
});
