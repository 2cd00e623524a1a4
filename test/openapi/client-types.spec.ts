import { buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type ApiError, type ItemOf, type Schemas, WatchledgerClient } from '../../src/client.ts';
import { clientBundle } from '../../src/client/bundle.mjs';
import { clientSource, headOf } from './client-types.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the generated types of the client', () => {
  // npm run docs:openapi
  it('are those of the description of the API, the error table and the lists', () => {
    const module = readFileSync(resolve(root, 'src/client/generated/api.ts'), 'utf8');
    const body = module.slice(module.indexOf('\n') + 1);
    expect(module.slice(0, module.length - body.length)).toBe(headOf(clientSource(), body));
  });

  it('change with a field of the description', () => {
    const source = clientSource();
    const moved = { ...source, document: { ...source.document, paths: {} } };
    expect(headOf(moved, '')).not.toBe(headOf(source, ''));
  });

  it('hold requests to what the service accepts', () => {
    const client = new WatchledgerClient({ fetch: () => Promise.reject(new Error('the compiler alone reads this')) });
    const calls = [
      // @ts-expect-error -- there is no such path
      () => client.get('/nothing'),
      // @ts-expect-error -- the project is missing
      () => client.get('/project/{id}'),
      // @ts-expect-error -- a GET has no body
      () => client.get('/projects', { body: {} }),
      // @ts-expect-error -- this path has no PATCH
      () => client.patch('/projects', { body: {} }),
      // @ts-expect-error -- there is no such field
      () => client.patch('/project/{id}', { path: { id: '' }, body: { titel: 'x' } }),
      // @ts-expect-error -- this answer is no list
      () => client.list('/account'),
      async (): Promise<Schemas['Project']> => (await client.get('/project/{id}', { path: { id: '' } })).data,
      async (): Promise<string> => (await client.get('/ledger/checkpoint')).data,
      async (): Promise<string | null | undefined> =>
        (await client.post('/authenticate', { body: { email: '', password: '' } })).data.token,
      async (): Promise<readonly ItemOf<'/projects'>[]> => client.list('/projects', { query: { search: 'shop' } }).all(),
      // @ts-expect-error -- there is no such code
      (error: ApiError): boolean => error.errorCode === 'NOT_AN_ERROR',
    ];
    expect(calls).toHaveLength(11);
  });
});

it('the client is at most 15 KB, minified and compressed', () => {
  const { outputFiles } = buildSync({ ...clientBundle, entryPoints: [resolve(root, 'src/client.ts')], minify: true, write: false });
  const size = gzipSync(outputFiles?.[0]?.contents ?? '').length;
  expect(size).toBeGreaterThan(1_000);
  expect(size).toBeLessThanOrEqual(15 * 1024);
});
