import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// npm run docs:events: docs/events.md and the JSON Schemas of all events, from the sources
const { readSources } = await import('./catalogue-shape.ts');
const { eventsPage } = await import('./events-page.ts');
const { schemasModule, SCHEMAS_FILE } = await import('./json-schemas.ts');
const root = resolve(import.meta.dirname, '../..');
const sources = readSources(root);
writeFileSync(join(root, 'docs', 'events.md'), eventsPage(sources));
writeFileSync(join(root, SCHEMAS_FILE), await schemasModule(sources));
