import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { withLazyContent } from '../event-store/lazy-event.ts';
import { LocalWake } from '../postgres/wake.ts';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.ts';
import type { NewEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import { PostgresLog } from './postgres-log.ts';
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

describe('a filtered search', () => {
  const OTHERS = 2_000;

  it('reads the events that it answers, and no others, however long the log is', async () => {
    const rare = event('rare one', 'rare one', null, { actor: 'rare', scope: 'project-long' });
    const rareType = { ...event('rare type', 'rare type', null, { scope: 'project-long' }), type: 'BadgeWithdrawn', data: {} };
    const others = Array.from({ length: OTHERS }, (_, index) =>
      event(`other ${String(index)}`, `other ${String(index)}`, null, { scope: 'project-long' }),
    );
    await store.append('project-long', 'no stream', [rare, rareType, ...others]);
    const everything = {
      after: -1,
      before: Number.MAX_SAFE_INTEGER,
      scopes: null,
      types: [],
      stream: null,
      actors: [],
      direction: 'desc',
      limit: 10,
    } as const;
    const found = async (filter: Partial<Parameters<LogSearcher['find']>[0]>) =>
      (await searcher.find({ ...everything, ...filter })).map(({ id }) => id);
    const log = new PostgresLog(database.pool, new LocalWake());
    // A log that grew within the last minute has no statistics yet.
    for (const statistics of ['DELETE FROM pg_statistic', 'ANALYZE log']) {
      await database.pool.query(statistics);
      for (const scopes of [null, ['project-long'], ['project-long', 'project-other']]) {
        for (const [filter, expected] of [
          [{ actors: ['rare', 'rare', 'unknown'] }, 'rare one'],
          [{ types: ['BadgeWithdrawn', 'ProjectDeleted'] }, 'rare type'],
          [{ types: ['ProjectRenamed'], actors: ['rare'] }, 'rare one'],
        ] as const) {
          for (const direction of ['asc', 'desc'] as const) {
            const rows = await rowsRead(async () => expect(await found({ ...filter, scopes, direction })).toEqual([idOf(expected)]));
            expect(rows).toBeLessThan(30);
          }
        }
      }
      const query = { after: -1, scope: 'project-long', types: ['BadgeWithdrawn'], limit: 10 };
      expect(await rowsRead(async () => expect(await log.read(query)).toHaveLength(1))).toBeLessThan(30);
    }
    expect(await found({ scopes: ['project-other'], actors: ['rare'] })).toEqual([]);
    expect(await found({ types: ['ProjectRenamed', 'BadgeWithdrawn'], scopes: ['project-long'], direction: 'asc', limit: 2 })).toEqual([
      idOf('rare one'),
      idOf('rare type'),
    ]);
  });

  /** Rows of the log, and entries of its indexes, that a search reads on a connection of its own. */
  async function rowsRead(search: () => Promise<void>): Promise<number> {
    const count = async (): Promise<number> => {
      const { rows } = await database.pool.query<{ count: string }>(
        `SELECT pg_stat_force_next_flush(), (SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = 'log')
           + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'log') AS count`,
      );
      return Number(rows[0]?.count);
    };
    await settled();
    const before = await count();
    await search();
    await settled();
    return (await count()) - before;
  }

  /** Each connection of the pool reports what it has counted. */
  const settled = async (): Promise<void> => {
    const clients = await Promise.all(Array.from({ length: 3 }, () => database.pool.connect()));
    for (const client of clients) await client.query('SELECT pg_stat_force_next_flush()');
    for (const client of clients) client.release();
  };
});

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

describe('events as they are stored', () => {
  const search = { after: -1, before: Number.MAX_SAFE_INTEGER, types: [], stream: null, actors: [], direction: 'asc', limit: 10 } as const;

  it('have their data as it was written, and are parsed to what others read', async () => {
    const titles = ['plain', 'Grüße, "quoted"\n\u2028', '日本', 'beyond the BMP: 🙂', 'a separator \u001e'];
    const named = (title: string) => ({ ...event(title, title, null, { scope: 'project-text' }), data: { from: title, to: title } });
    await store.append('project-text', 'no stream', titles.map(named));
    const found = await searcher.findStored({ ...search, scopes: ['project-text'] });
    expect(found.map(({ data }) => data)).toEqual(titles.map((title) => JSON.stringify({ from: title, to: title })));
    expect(found.map(withLazyContent)).toEqual(await searcher.find({ ...search, scopes: ['project-text'] }));
  });

  it('are refused where one of them is damaged', async () => {
    const titles = ['whole', 'half', 'other half'];
    await store.append(
      'project-damaged',
      'no stream',
      titles.map((title) => event(title, title, null, { scope: 'project-damaged' })),
    );
    const damage = (revision: number, text: string) =>
      database.pool.query(`UPDATE log SET data = $2 WHERE stream = 'project-damaged' AND revision = $1`, [revision, text]);
    await damage(1, '{"a":[1');
    await damage(2, '2]}');
    const [whole, half] = await searcher.findStored({ ...search, scopes: ['project-damaged'] });
    if (whole === undefined || half === undefined) throw new Error('there are three events');
    expect(withLazyContent(whole).data).toEqual({ from: 'whole', to: 'whole' });
    expect(() => withLazyContent(half).data).toThrow(`event ${String(half.envelope.n)} of the log is damaged: its text is not JSON`);
    await damage(2, '{"a":\u001e}');
    await expect(searcher.findStored({ ...search, scopes: ['project-damaged'] })).rejects.toThrow(
      `event ${String(half.envelope.n)} of the log is damaged`,
    );
  });
});
