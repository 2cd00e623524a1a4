import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import '../../bench/support/register.mjs';

// npm run docs:openapi: test/samples/openapi.shape.json and the types of the client from the sources, after a deliberate change of the API
const { describeApi } = await import('../../src/app/open-api.ts');
const { openApiShape } = await import('./openapi-shape.ts');
const { clientModule, clientSource } = await import('./client-types.ts');
const root = resolve(import.meta.dirname, '../..');
writeFileSync(join(root, 'test/samples/openapi.shape.json'), `${lines(openApiShape(describeApi('1')), 3)}\n`);
writeFileSync(join(root, 'src/client/generated/api.ts'), await clientModule(clientSource()));

/** JSON with a line for each operation and each component, so that a diff names what changed. */
function lines(value, depth) {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${lines(member, depth - 1)}`);
  return `{\n${members.join(',\n')}\n}`;
}
