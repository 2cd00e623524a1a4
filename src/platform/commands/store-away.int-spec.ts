import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { Line } from '../../../test/support/kurrentdb-double/faulty-connection.ts';
import { KurrentDbDouble } from '../../../test/support/kurrentdb-double/kurrentdb-double.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { until } from '../../../test/support/until.ts';
import { changeSettings, create } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import type { EventStore } from '../event-store/event-store.ts';
import { KurrentDbEventStore } from '../event-store/kurrentdb/kurrentdb-event-store.ts';
import { PostgresEventStore } from '../event-store/postgres/postgres-event-store.ts';
import { openPool } from '../postgres/pool.ts';
import { LocalWake } from '../postgres/wake.ts';
import { CommandRunner } from './command-runner.ts';
import { type CommandContext, systemContext } from './context.ts';

const TIMEOUT_MS = 3_000;
/** A busy machine; less than the second of two would wait for the first. */
const SLACK_MS = 2_500;
const target = projectTarget('p');
const wanted = { projectId: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: false };
const context = (given: Partial<CommandContext> = {}): CommandContext => ({ ...systemContext({ kind: 'user', id: '1' }, 0), ...given });

interface Subject {
  readonly store: EventStore;
  /** Connections stay open, and nothing is answered. */
  stall(): void;
  resume(): void;
  /** Connections are refused. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** An attempt that was stalled ends long before the command's own limit, and is repeated. */
const engines: Readonly<Record<string, () => Promise<Subject>>> = {
  KurrentDB: async () => {
    const double = await KurrentDbDouble.start();
    const store = new KurrentDbEventStore(double.url, { attemptMs: 400, deadlineMs: 60_000 });
    await store.open();
    return {
      store,
      stall: () => {
        double.stall();
      },
      resume: () => {
        double.resume();
      },
      refuse: () => double.kill(),
      accept: () => double.revive(),
      close: async () => {
        await store.close();
        await double.stop();
      },
    };
  },
  Postgres: async () => {
    await database.pool.query('TRUNCATE log');
    const address = new URL(database.url);
    const behind = { host: address.hostname, port: Number(address.port) };
    const line = new Line(() => behind);
    await line.open();
    address.host = `127.0.0.1:${String(line.port)}`;
    const pool: pg.Pool = openPool(address.href, { name: 'events', max: 2, statementTimeoutMs: 400 });
    const store = new PostgresEventStore(pool, new LocalWake(), 60_000);
    return {
      store,
      stall: () => {
        line.stall();
      },
      resume: () => {
        line.resume();
      },
      refuse: () => line.close(),
      accept: () => line.open(),
      close: async () => {
        await line.close();
        await pool.end();
      },
    };
  },
};

describe.each(Object.entries(engines))('%s that is away', (_, open) => {
  let subject: Subject;
  let runner: CommandRunner;
  beforeEach(async () => {
    subject = await open();
    runner = new CommandRunner(subject.store, { timeoutMs: TIMEOUT_MS });
    await runner.run(target, context(), (project) => create(project, wanted));
  });
  afterEach(() => subject.close());

  const write = (delay: number, given: Partial<CommandContext> = {}): Promise<unknown> =>
    runner.run(target, context(given), (project) => changeSettings(project, { delay }, 1));

  async function delays(): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for await (const event of subject.store.readStream('project-p', { from: 1 })) found.push((event.data as { to: unknown }).to);
    return found;
  }

  it('refuses each of six writes to one stream within its own limit, also those that came later', async () => {
    subject.stall();
    const outcomes = [1, 2, 3, 4, 5, 6].map(async (delay) => {
      await sleep(delay * 100);
      const from = performance.now();
      const error = await write(delay).then(
        () => null,
        (reason: unknown) => reason,
      );
      return { error, waited: performance.now() - from };
    });
    for (const { error, waited } of await Promise.all(outcomes)) {
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(waited).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    }
    subject.resume();
  });

  it('never appends the command of a client that disconnected while it waited or was retried', async () => {
    await subject.refuse();
    const gone = new AbortController();
    const stay = [write(1, { signal: gone.signal }), write(2, { signal: gone.signal }), write(3)];
    const ended = Promise.allSettled(stay);
    await sleep(200);
    const from = performance.now();
    gone.abort();
    await expect(stay[0]).rejects.toMatchObject({ code: 'COMMAND_ABANDONED' });
    await expect(stay[1]).rejects.toMatchObject({ code: 'COMMAND_ABANDONED' });
    expect(performance.now() - from).toBeLessThan(SLACK_MS);
    await subject.accept();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await until(
      () =>
        write(4).then(
          () => true,
          () => false,
        ),
      10_000,
      'that the store answers',
    );
    expect(await delays()).toEqual([3, 4]);
  });
});
