import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type pg from 'pg';
import type { ApiClient } from '../support/api-client.ts';
import { PASSWORD, TestAccounts } from '../support/test-accounts.ts';

/** The constants with which the files of releases were made, so that they stay readable. */
export const MASTER_KEY = '5a'.repeat(32);
export const OWNER = 'Ada Lovelace';
export const TITLE = 'A shop with "quotes", \\ and ümläuts';

/** A site on loopback for the checks of the world. */
export async function site(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/' ? 200 : 404;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<title>Shop</title><h1>Welcome</h1><a href="/a">a</a>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, url: `http://127.0.0.1:${String(typeof address === 'object' && address !== null ? address.port : 0)}` };
}

/** Creates a sample of every kind of data; returns the project. */
export async function live(
  url: string,
  database: { readonly pool: pg.Pool },
  watched: string,
): Promise<{ readonly project: string; readonly api: ApiClient }> {
  const people = new TestAccounts({ url, database });
  const [ada, guest, leaving] = [await people.register('ada'), await people.register('guest'), await people.register('leaving')];
  await ada.api.put('/account', { name: OWNER });
  const project = await people.project(ada, watched);
  await people.join(project, ada, guest, '6');
  await ada.api.put(`/project/${project}`, { title: TITLE });
  const area = await ada.api.post(`/project/${project}/areas`, { name: 'Pages' });
  const check = await ada.api.post(`/project/${project}/tests`, {
    areaId: area.body.id as string,
    url: `${watched}/`,
    name: 'Front page',
    rules: [{ type: 'text', op: 'sub', val: 'Welcome' }],
  });
  const start = await ada.api.get(`/project/${project}/start/area/${String(area.body.id)}`);
  if (check.status !== 200 || start.status !== 200) throw new Error(`${check.text} ${start.text}`);
  await ada.api.post('/account/tokens', { name: 'a token' });
  await ada.api.put('/account/channels/slack', { url: 'https://hooks.example.test/x' });
  const erased = await leaving.api.delete('/account', { password: PASSWORD });
  if (erased.status !== 200) throw new Error(erased.text);
  return { project, api: ada.api };
}
