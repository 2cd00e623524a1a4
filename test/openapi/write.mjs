import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// npm run docs:openapi: test/samples/openapi.shape.json from the sources, after a deliberate change of the API
const { describeApi } = await import('../../src/http/description/open-api.ts');
const { openApiShape } = await import('./openapi-shape.ts');
const file = join(resolve(import.meta.dirname, '../..'), 'test', 'samples', 'openapi.shape.json');
writeFileSync(file, `${lines(openApiShape(describeApi('1')), 3)}\n`);

/** JSON with a line for each operation and each component, so that a diff names what changed. */
function lines(value, depth) {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${lines(member, depth - 1)}`);
  return `{\n${members.join(',\n')}\n}`;
}
