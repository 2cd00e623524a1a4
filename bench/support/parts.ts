import { openPool } from '../../src/platform/postgres/pool.ts';
import { PostgresLeases } from '../../src/platform/postgres/postgres-leases.ts';
import { PostgresWake } from '../../src/platform/postgres/wake-postgres.ts';
import { PostgresEventStore } from '../../src/platform/event-store/postgres/postgres-event-store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { PostgresLog } from '../../src/platform/log/postgres-log.ts';
import { viewUnit } from '../../src/platform/read-models/views/unit.ts';
import { ReadYourWrites } from '../../src/platform/read-models/engine/read-your-writes.ts';
import { coreViews } from '../../src/app/projection-table.ts';

/** The parts below the checker, wired as in the service. */
export function openBenchParts(url: string) {
  const pool = openPool(url, { name: 'bench', max: 6 });
  const wake = new PostgresWake(url);
  const log = new PostgresLog(pool, wake);
  const unit = viewUnit('core', coreViews);
  return {
    ...{ pool, wake, log, unit },
    store: new PostgresEventStore(pool, wake),
    leases: new PostgresLeases(url, wake),
    readYourWrites: new ReadYourWrites({ schema: unit.schema, db: pool, log, wake, clock: systemClock }),
  };
}
