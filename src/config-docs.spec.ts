import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const names = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))].toSorted();

it('docs/operations.md explains exactly the variables that are read', () => {
  const variables = names(
    read('src/platform/config/config.ts') +
      read('src/platform/config/sign-in-provider.ts') +
      read('src/platform/config/otlp.ts') +
      read('src/platform/config/kept-pages.ts'),
    /read\.\w+\(\s*'([A-Z_]+)'/g,
  );
  expect(variables.length).toBeGreaterThan(25);
  expect(names(read('docs/operations.md'), /^\| `([A-Z_]+)` \|/gm)).toEqual(variables);
});
