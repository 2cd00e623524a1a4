import { expect, it } from '@jest/globals';
import { OpenApi } from './ops-routes.ts';

it('the description of the API is encoded once', async () => {
  const openApi = new OpenApi([]);
  const first = await openApi.json();
  expect(await openApi.json()).toBe(first);
  expect(JSON.parse(first.toString())).toMatchObject({ openapi: '3.1.0' });
});
