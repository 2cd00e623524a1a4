import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type ObservationDatabase } from '../../../../test/support/database.ts';
import { deflatePack } from '../codec/bytes.ts';
import { hourOf, idBytes } from '../packs/pack-kind.ts';
import { PackCompactor } from '../packs/pack-compactor.ts';
import { ObservationFences } from '../fences.ts';
import { schemasOf } from '../schemas.ts';
import { PostgresRuns } from './postgres-runs.ts';
import { packRuns, runKind } from './run.codec.ts';
import type { RunStore } from './run-store.ts';
import { LEASE, PROJECT, run, runStoreContract } from './runs.contract.ts';

const always = { pastMs: 1e12, futureMs: 1e12 };
describe.each([1, 4])('in %i schemas', (count) => {
  let database: ObservationDatabase;
  beforeAll(async () => {
    database = await createObservationDatabase(count);
  });
  afterAll(() => database.drop());

  async function fresh(): Promise<PostgresRuns> {
    await database.truncate('run_flush', 'run_hour', 'latest_run', 'job_run', 'observation_fence');
    await new ObservationFences(database.pool).raise({ name: LEASE, epoch: 1 });
    return new PostgresRuns(database.pool, always);
  }

  describe('before compaction', () => {
    runStoreContract(fresh);
  });

  describe('after compaction', () => {
    runStoreContract(async (): Promise<RunStore> => {
      const store = await fresh();
      const repacking = new PackCompactor(database.pool, runKind);
      return Object.assign(store, {
        accept: async (batches: Parameters<RunStore['accept']>[0]) => {
          const taken = await PostgresRuns.prototype.accept.call(store, batches);
          await repacking.compact(0);
          return taken;
        },
      });
    });
  });

  it('does not unpack hours without the wanted checks', async () => {
    const store = await fresh();
    const [one, never] = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'cccccccccccccccccccccccc'];
    const repacking = new PackCompactor(database.pool, runKind);
    for (let hour = 0; hour < 5; hour++) await repacking.write(PROJECT, [run(hour * 3600, { checkId: one })]);
    // Unpacking the earliest hours would throw.
    const cut = deflatePack(packRuns([run(0, { checkId: one })]).subarray(0, 40));
    const hours = schemasOf(database.pool).ofProject(PROJECT).table('run_hour');
    await database.pool.query(`UPDATE ${hours} SET packed = $1 WHERE project_id = $2 AND hour <= $3`, [
      cut,
      idBytes(PROJECT),
      hourOf(run(3600).at),
    ]);
    const found = await store.lastOf(PROJECT, [one, never], run(4 * 3600).at);
    expect([...found].map(([id, { at }]) => [id, at])).toEqual([[one, run(4 * 3600).at]]);
    await expect(store.lastOf(PROJECT, [one], run(3600).at)).rejects.toThrow('are truncated');
  });
});
