import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// npm run docs:errors: docs/errors.md from the error table
const { errorsMarkdown } = await import('../../src/platform/http/server/docs-page.ts');
writeFileSync(join(resolve(import.meta.dirname, '../..'), 'docs', 'errors.md'), errorsMarkdown());
