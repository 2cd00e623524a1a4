import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// npm run docs:events: docs/events.md from the sources
const { eventsPage } = await import('./events-page.ts');
const root = resolve(import.meta.dirname, '../..');
writeFileSync(join(root, 'docs', 'events.md'), eventsPage(root));
