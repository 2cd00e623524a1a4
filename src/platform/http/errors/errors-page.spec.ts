import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { docsOf } from './answer-of.ts';
import { errorTable } from './error-table.ts';
import { errorsHtml, errorsMarkdown } from '../server/docs-page.ts';

// When it is not: npm run docs:errors
it('docs/errors.md is up to date with the error table', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8')).toBe(errorsMarkdown());
});

it('explains every code where the member docs of an error body leads', () => {
  for (const code of Object.keys(errorTable)) {
    expect(docsOf(code)).toBe(`/docs/errors#${code}`);
    expect(errorsHtml()).toContain(`<h2 id="${code}">`);
  }
});
