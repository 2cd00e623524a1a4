import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../support/api-client.ts';
import { createTestDatabase } from '../../support/database.ts';
import { TestService } from '../../support/service.ts';
import { StatementCounter } from '../../support/statement-counter.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

let counter: StatementCounter;
let service: TestService;
let api: ApiClient;

beforeAll(async () => {
  const database = await createTestDatabase();
  counter = await StatementCounter.before(database.url);
  service = await TestService.start({ database, env: { REGISTRATION: 'open', RATE_LIMIT: '0', DATABASE_URL: counter.url } });
  const people = new TestAccounts(service);
  const owner = await people.register('owner');
  await people.administer(owner, { plan: 'unlimited' });
  api = owner.api;
});
afterAll(async () => {
  await service.stop();
  await counter.close();
});

type Counts = ReturnType<StatementCounter['take']>;

const countOf = (counts: Counts, text: RegExp): number => counts.reduce((sum, [of, count]) => sum + (text.test(of) ? count : 0), 0);
const listed = (counts: Counts): string =>
  counts.map(([text, count]) => `${String(count)} ${text.replace(/\s+/g, ' ').slice(0, 90)}`).join('\n');

/** In series: each waits for the one before. */
const THREE_ROUND_TRIPS = { '"project" WHERE key': 1, append_: 1, 'UPDATE projection SET n': 1 };

/** A principal is read afresh after this time, however many requests there are. */
const PRINCIPAL_SECONDS = 0.9;

interface Counted {
  readonly counts: Counts;
  readonly seconds: number;
}

async function countedDuring(writes: () => Promise<void>): Promise<Counted> {
  counter.take();
  const started = performance.now();
  await writes();
  return { counts: counter.take(), seconds: (performance.now() - started) / 1_000 };
}

/** By a part of the text. What runs beside the writes may add a few. */
function expectPerWrite({ counts, seconds }: Counted, writes: number, wanted: Readonly<Record<string, number>>): void {
  const slack = 4 + seconds / PRINCIPAL_SECONDS;
  const found = Object.keys(wanted).map((text) => [text, Math.max(0, countOf(counts, new RegExp(text)) - slack) / writes] as const);
  const excess = found.filter(([text, perWrite]) => perWrite > (wanted[text] ?? 0));
  if (excess.length > 0) throw new Error(`per write ${JSON.stringify(Object.fromEntries(excess))} of:\n${listed(counts)}`);
}

describe('the statements of a service', () => {
  it('are few while it is idle', async () => {
    const WINDOW_MS = 5_000;
    let [report, perSecond, renewals] = ['', Infinity, Infinity];
    /** What the start and the requests above have begun ends in an earlier window. */
    const isQuiet = async (): Promise<boolean> => {
      counter.take();
      const began = performance.now();
      await sleep(WINDOW_MS);
      const counts = counter.take();
      const seconds = (performance.now() - began) / 1_000;
      perSecond = countOf(counts, /./) / seconds;
      // One statement renews every lease of the process.
      renewals = countOf(counts, /UPDATE lease/) / seconds;
      report = listed(counts);
      return perSecond <= 16 && renewals <= 0.9;
    };
    await until(isQuiet, 3_000).catch(() => {
      throw new Error(`${String(perSecond)} statements a second, ${String(renewals)} of leases:\n${report}`);
    });
  });

  it('are one read of the rights, one append and one write of the read models for a PUT', async () => {
    const WRITES = 30;
    const created = await api.post('/project/create', { url: 'https://example.com' });
    expect(created.status).toBe(200);
    const put = async (client: ApiClient, title: string): Promise<void> => {
      expect((await client.put(`/project/${String(created.body.id)}`, { title })).status).toBe(200);
    };
    const perWrite = async (clientOf: (write: number) => ApiClient): Promise<Counted> => {
      for (let write = 0; write < 3; write++) await put(clientOf(-1 - write), `Before ${String(write)}`);
      return countedDuring(async () => {
        for (let write = 0; write < WRITES; write++) await put(clientOf(write), `Title ${String(write)}`);
      });
    };
    expectPerWrite(await perWrite(() => api), WRITES, { ...THREE_ROUND_TRIPS, 'FROM idempotency|INTO idempotency': 0, '"account"': 0 });
    const keyed = await perWrite((write) => api.with({ 'idempotency-key': `put${String(write)}` }));
    // Its stream is searched for an earlier attempt.
    expectPerWrite(keyed, WRITES, { ...THREE_ROUND_TRIPS, 'INTO idempotency': 1, 'UPDATE idempotency': 1, 'FROM log WHERE stream': 1 });
  });

  it('are one claim of a slot, one new key, one append and one keeping for a new project', async () => {
    const WRITES = 20;
    const counted = await countedDuring(async () => {
      for (let write = 0; write < WRITES; write++)
        expect((await api.post('/project/create', { url: 'https://example.com' })).status).toBe(200);
    });
    expectPerWrite(counted, WRITES, {
      claim_slot: 1,
      'INTO subject_keys': 1,
      'UPDATE claim': 1,
    });
  });
});
