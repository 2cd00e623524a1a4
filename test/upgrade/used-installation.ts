import type pg from 'pg';
import { startHttp } from '../support/servers/site.ts';
import { PASSWORD, TestAccounts } from '../support/test-accounts.ts';
import { until } from '../support/until.ts';

export const OWNER = 'Ada Lovelace';
export const TITLE = 'A shop with "quotes", \\ and ümläuts';

/** Creates a sample of every kind of data through a running service, until a check has ended and everything is sealed. */
export async function use(url: string, pool: pg.Pool): Promise<void> {
  const site = await startHttp((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<title>Shop</title><h1>Welcome</h1>');
  });
  const people = new TestAccounts({ url, database: { pool } });
  const [ada, guest, leaving] = [await people.register('ada'), await people.register('guest'), await people.register('leaving')];
  await ada.api.put('/account', { name: OWNER });
  const project = await people.project(ada, site.url);
  await people.join(project, ada, guest, '6');
  await ada.api.put(`/project/${project}`, { title: TITLE });
  const area = await ada.api.post(`/project/${project}/areas`, { name: 'Pages' });
  const check = await ada.api.post(`/project/${project}/tests`, {
    areaId: area.body.id as string,
    url: `${site.url}/`,
    name: 'Front page',
    rules: [{ type: 'text', op: 'sub', val: 'Welcome' }],
  });
  const start = await ada.api.get(`/project/${project}/start/area/${String(area.body.id)}`);
  if (check.status !== 200 || start.status !== 200) throw new Error(`${check.text} ${start.text}`);
  await ada.api.post('/account/tokens', { name: 'a token' });
  await ada.api.put('/account/channels/slack', { url: 'https://hooks.example.test/x' });
  const erased = await leaving.api.delete('/account', { password: PASSWORD });
  if (erased.status !== 200) throw new Error(erased.text);
  const isThere = async (query: string): Promise<boolean> => (await pool.query(query)).rowCount !== 0;
  await until(() => isThere(`SELECT FROM log WHERE type = 'JobEnded'`), 60_000, 'a job that ended');
  await until(() => isThere('SELECT FROM ledger_checkpoint WHERE size > (SELECT max(n) FROM log)'), 90_000, 'everything sealed');
  await site.close();
}
