import { SeveringProxy } from '../../../../test/support/severing-proxy.ts';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { openPool } from '../../postgres/pool.ts';
import { LocalWake } from '../../postgres/wake.ts';
import { eventStoreContract } from '../event-store.contract.ts';
import { PostgresEventStore } from './postgres-event-store.ts';

eventStoreContract('postgres', async () => {
  const database = await createTestDatabase();
  const behind = new URL(database.url);
  const proxy = await SeveringProxy.before(Number(behind.port));
  behind.port = String(proxy.address.port);
  const pool = openPool(behind.href, { name: 'events', max: 10 });
  const store = new PostgresEventStore(pool, new LocalWake());
  return {
    store,
    loseNextReply: () => {
      proxy.loseNextReply();
    },
    dropConnections: () => {
      proxy.dropConnections();
    },
    close: async () => {
      await pool.end();
      await proxy.close();
      await database.drop();
    },
  };
});
