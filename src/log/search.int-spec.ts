import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { LocalWake } from '../persistence/wake.ts';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.ts';
import type { NewEvent } from '../kernel/event.ts';
import { derivedId } from '../kernel/ids.ts';
import { LogSearcher } from './search.ts';

let database: TestDatabase;
let store: PostgresEventStore;
let searcher: LogSearcher;
beforeAll(async () => {
  database = await createTestDatabase();
  store = new PostgresEventStore(database.pool, new LocalWake());
  searcher = new LogSearcher(database.pool);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const idOf = (name: string): string => derivedId('event', name);

function event(
  name: string,
  chain: string,
  cause: string | null,
  given: { readonly scope?: string; readonly actor?: string } = {},
): NewEvent {
  return {
    ...{ id: idOf(name), type: 'ProjectRenamed', version: 1, scope: given.scope ?? 'project-p', data: { from: name, to: name } },
    meta: {
      actor: { kind: 'user', id: given.actor ?? '7' },
      correlationId: idOf(chain),
      causationId: cause === null ? null : idOf(cause),
      commandId: idOf(`command ${name}`),
      occurredAt: '2026-01-01T00:00:00.000Z',
    },
  };
}

const chainOf = async (name: string, scope = 'project-p'): Promise<readonly string[]> =>
  (await searcher.chain(scope, idOf(name))).map(({ data }) => (data as { readonly from: string }).from);

describe('the chain of an event', () => {
  it('is its first event and everything that followed, in log order, for any of its events', async () => {
    const quoting = `"causationId":null,"correlationId":"${idOf('other')}"`;
    await store.append('a', 'no stream', [event('root', 'root', null), event('first', 'root', 'root')]);
    await store.append('b', 'no stream', [event('other', 'other', null, { actor: quoting })]);
    await store.append('c', 'no stream', [event('second', 'root', 'first', { actor: quoting }), event('third', 'root', 'second')]);
    await store.append('d', 'no stream', [event('elsewhere', 'root', 'third', { scope: 'project-q' })]);
    for (const name of ['root', 'first', 'second', 'third']) expect(await chainOf(name)).toEqual(['root', 'first', 'second', 'third']);
    expect(await chainOf('other')).toEqual(['other']);
  });

  it('does not reach into other projects', async () => {
    expect(await chainOf('elsewhere', 'project-q')).toEqual(['elsewhere']);
    expect(await chainOf('root', 'project-q')).toEqual([]);
    expect(await chainOf('nowhere')).toEqual([]);
  });

  it('is found by an index', async () => {
    const client = await database.pool.connect();
    try {
      await client.query('SET enable_seqscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT * FROM log WHERE substring(meta from '"correlationId":"([^"]+)"') = $1 AND meta NOT LIKE '%"causationId":null%'`,
        [idOf('root')],
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('log_by_chain');
    } finally {
      client.release(true);
    }
  });
});
