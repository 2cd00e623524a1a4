import type pg from 'pg';
import type { AppendResult, EventStore } from '../../src/platform/event-store/event-store.ts';
import { StoreUnavailable } from '../../src/kernel/errors.ts';
import type { LogEvent } from '../../src/kernel/event.ts';
import { KeyedMutex } from '../../src/kernel/keyed-mutex.ts';
import type { Log } from '../../src/platform/log/log.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

export interface ConnectionFaults {
  readonly random: () => number;
  /** A machine lost its connection or was killed. */
  readonly happened: (machine: Machine, what: 'cut' | 'death') => void;
}

const AWAY = 'the database is away';
/** Of a thousand queries: never sent, sent without an answer, fatal to the machine. */
const [UNASKED, UNANSWERED, DEADLY] = [2, 2, 2];

/** The store as one machine sees it: an append may succeed although its answer is lost. */
export function storeOf(machine: Machine, store: EventStore, { random, happened }: ConnectionFaults): EventStore {
  return {
    append: async (...given): Promise<AppendResult> => {
      if (!machine.reachesDatabase) throw new StoreUnavailable(AWAY);
      const result = await store.append(...given);
      if (random() >= 1 / 1_000) return result;
      happened(machine, 'cut');
      throw new StoreUnavailable(AWAY);
    },
    readStream: (...given) => {
      if (!machine.reachesDatabase) throw new StoreUnavailable(AWAY);
      return store.readStream(...given);
    },
    ends: (...given) => {
      if (!machine.reachesDatabase) return Promise.reject(new StoreUnavailable(AWAY));
      return store.ends(...given);
    },
    follow: (...given) => store.follow(...given),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}

/** The log as one machine reads it: it gets new events only while it runs and reaches the database. */
export function logOf(machine: Machine, log: Log, time: VirtualTime): Log {
  async function* follow(...given: Parameters<Log['follow']>): AsyncGenerator<readonly LogEvent[]> {
    for await (const batch of log.follow(...given)) {
      while (!machine.reachesDatabase) await machine.sleep(Math.max(machine.pausedUntil, machine.cutUntil) - time.now);
      yield batch;
    }
  }
  return {
    follow,
    read: (query) => log.read(query),
    head: () => log.head(),
    at: (instant) => log.at(instant),
    waitBeyond: (...given) => log.waitBeyond(...given),
    locate: (...given) => log.locate(...given),
  };
}

/**
 * A database that executes one statement, or one transaction, at a time, in the order in which they were asked: answers of several connections would come in
 * another order each time.
 */
export function inTurns(pool: pg.Pool): pg.Pool {
  const mutex = new KeyedMutex();
  const turn = <Result>(work: () => Promise<Result>): Promise<Result> => mutex.runExclusive('database', work);
  const query = (...given: Parameters<pg.Pool['query']>): Promise<unknown> =>
    turn(() => pool.query(...given) as unknown as Promise<unknown>);
  const connect = (): Promise<unknown> =>
    new Promise((connected, failed) => {
      const transaction = async (): Promise<void> => {
        const client = await pool.connect();
        await new Promise<void>((end) => connected({ query: client.query.bind(client), release: end }));
        client.release();
      };
      turn(transaction).catch(failed);
    });
  return { query, connect } as unknown as pg.Pool;
}

/** The database as one machine reaches it. Virtual time waits for queries; a dead machine has no effect any longer. */
export function poolOf(machine: Machine, pool: pg.Pool, time: VirtualTime, { random, happened }: ConnectionFaults): pg.Pool {
  const dead = (): boolean => !machine.reachesDatabase;
  const asking = async <T>(text: string, ask: () => Promise<T>, undo: () => Promise<unknown>): Promise<T> => {
    if (text === 'ROLLBACK') return time.hold(ask());
    const fate = random() * 1_000;
    if (fate < DEADLY) happened(machine, 'death');
    else if (fate < DEADLY + UNASKED) happened(machine, 'cut');
    if (dead() || fate < DEADLY + UNASKED) {
      await time.hold(undo());
      throw new Error(AWAY);
    }
    const answer = await time.hold(ask());
    if (fate >= DEADLY + UNASKED + UNANSWERED) return answer;
    happened(machine, 'cut');
    throw new Error(AWAY);
  };
  const textOf = (query: unknown): string => (typeof query === 'string' ? query : '');
  const nothing = (): Promise<void> => Promise.resolve();
  const connect = async (): Promise<pg.PoolClient> => {
    if (dead()) throw new Error(AWAY);
    const client = await time.hold(pool.connect());
    const query = (...given: Parameters<pg.PoolClient['query']>): Promise<unknown> =>
      asking(
        textOf(given[0]),
        () => client.query(...given) as unknown as Promise<unknown>,
        () => client.query('ROLLBACK'),
      );
    return { query, release: () => client.release() } as unknown as pg.PoolClient;
  };
  const query = (...given: Parameters<pg.Pool['query']>): Promise<unknown> =>
    asking(textOf(given[0]), () => pool.query(...given) as unknown as Promise<unknown>, nothing);
  return { query, connect } as unknown as pg.Pool;
}
