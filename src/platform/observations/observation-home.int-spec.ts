import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { SeveringProxy } from '../../../test/support/severing-proxy.ts';
import { until } from '../../../test/support/until.ts';
import { openPool } from '../postgres/pool.ts';
import { ObservationHome } from './observation-home.ts';

let log: TestDatabase;
let apart: TestDatabase;
beforeAll(async () => {
  [log, apart] = await Promise.all([createTestDatabase(), createEmptyDatabase()]);
});
afterAll(() => Promise.all([log.drop(), apart.drop()]));

const quiet = { info: () => undefined, warn: () => undefined };
const homeOf = (url: string | undefined, installation = 'here', observationPool = apart.pool) =>
  new ObservationHome({ url, pool: log.pool, observationPool, installation, logger: quiet });

it('refuses a new place while observations are in the old one, and the old one after they were moved', async () => {
  await log.pool.query(`INSERT INTO latest_run (check_id, project_id, at, whole) VALUES ('a', 'b', 1, 'c')`);
  await expect(homeOf(apart.url).start()).rejects.toThrow(
    'OBSERVATIONS_URL is set, and the observations of this installation are still in DATABASE_URL',
  );
  await log.pool.query('DELETE FROM latest_run');
  const home = homeOf(apart.url);
  await home.start();
  await home.check();
  expect((await apart.pool.query(`SELECT to_regclass('log') AS log`)).rows).toEqual([{ log: null }]);
  await expect(homeOf(undefined).start()).rejects.toThrow(
    /^OBSERVATIONS_URL is not set, and the observations of this installation are in 127\.0\.0\.1:/,
  );
  await homeOf(apart.url).start();
});

it('refuses the observations of another installation', async () => {
  await expect(homeOf(apart.url, 'elsewhere').start()).rejects.toThrow(
    'holds the observations of another installation (here), not of elsewhere',
  );
});

it('refuses the database of a log', async () => {
  const other = await createTestDatabase();
  await expect(homeOf(other.url, 'here', other.pool).start()).rejects.toThrow('holds the log of an installation');
  await other.drop();
});

it('starts while the database is away, and prepares it when it is there', async () => {
  const later = await createEmptyDatabase();
  const address = new URL(later.url);
  const proxy = await SeveringProxy.before(Number(address.port));
  address.port = String(proxy.address.port);
  const pool = openPool(address.href, { name: 'test', max: 1 });
  proxy.refuse(true);
  const home = homeOf(address.href, 'here', pool);
  await home.start();
  await expect(home.check()).rejects.toThrow();
  proxy.refuse(false);
  await until(
    () =>
      home.check().then(
        () => true,
        () => false,
      ),
    20_000,
    'it is prepared',
  );
  await home.close();
  await pool.end();
  await proxy.close();
  await later.drop();
});
