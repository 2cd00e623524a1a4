import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KurrentDbDouble } from '../../../../test/support/kurrentdb-double/kurrentdb-double.ts';
import { sampleEvent as event } from '../../../../test/support/kurrentdb-double/sample-events.ts';
import { thorough } from '../../../../test/support/thorough.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import { KurrentDbEventStore } from './kurrentdb-event-store.ts';

const PATIENCE = { attemptMs: 500, deadlineMs: 60_000 };

let double: KurrentDbDouble;
let store: KurrentDbEventStore;
beforeEach(async () => {
  double = await KurrentDbDouble.start();
  store = new KurrentDbEventStore(double.url, PATIENCE);
});
afterEach(async () => {
  await store.close();
  await double.stop();
});

const revisionsOf = async (stream: string): Promise<number[]> => {
  const revisions: number[] = [];
  for await (const { revision } of store.readStream(stream)) revisions.push(revision);
  return revisions;
};

describe('an append', () => {
  it('is never sent as a batch append, although the server supports it', async () => {
    await store.append('s-1', 'no stream', [event('s-1', 0), event('s-1', 1)]);
    expect(double.batchAppends).toBe(0);
    expect(await revisionsOf('s-1')).toEqual([0, 1]);
  });

  it.each([
    ['the server takes it and says nothing', 'hang' as const],
    ['it lands and its answer is lost', 'lose reply' as const],
    ['it is refused', 'refuse' as const],
    ['it lands and fails all the same', 'refuse after landing' as const],
    ['it lands after its repeat', { landLateMs: 800 }],
  ])('stands once when %s', async (_, fault) => {
    double.faults.appends.push(fault);
    const result = await store.append('s-1', 'no stream', [event('s-1', 0), event('s-1', 1)]);
    expect(result).toMatchObject({ kind: 'appended', revision: 1 });
    await store.append('s-1', 1, [event('s-1', 2)]);
    await new Promise((resolve) => setTimeout(resolve, typeof fault === 'object' ? 900 : 0));
    expect(await revisionsOf('s-1')).toEqual([0, 1, 2]);
    expect(double.events).toHaveLength(3);
  });

  it('survives a cut connection, a restarted server and a node that is not ready', async () => {
    await store.append('s-1', 'no stream', [event('s-1', 0)]);
    double.dropConnections();
    await store.append('s-1', 0, [event('s-1', 1)]);
    await double.kill();
    const away = store.append('s-1', 1, [event('s-1', 2)]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    await double.revive();
    expect(await away).toMatchObject({ kind: 'appended', revision: 2 });
    double.faults.refusal = 'not ready';
    const early = store.append('s-1', 2, [event('s-1', 3)]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    double.faults.refusal = null;
    expect(await early).toMatchObject({ kind: 'appended', revision: 3 });
    expect(await revisionsOf('s-1')).toEqual([0, 1, 2, 3]);
  });

  it('throws StoreUnavailable after its deadline and can be retried', async () => {
    await store.append('s-1', 'no stream', [event('s-1', 0)]);
    const hurried = new KurrentDbEventStore(double.url, { ...PATIENCE, deadlineMs: 1_000 });
    double.stall();
    await expect(hurried.append('s-1', 0, [event('s-1', 1)])).rejects.toThrow(StoreUnavailable);
    double.resume();
    await hurried.close();
    expect(await store.append('s-1', 0, [event('s-1', 1)])).toMatchObject({ kind: 'appended', revision: 1 });
    expect(await revisionsOf('s-1')).toEqual([0, 1]);
  });

  it('is committed completely or not at all when the connection is cut halfway', async () => {
    const hurried = new KurrentDbEventStore(double.url, { attemptMs: 20, deadlineMs: 200 });
    const patient = new KurrentDbEventStore(double.url, { attemptMs: 15_000, deadlineMs: 60_000 });
    const many = (stream: string) => Array.from({ length: 1_500 }, (_, revision) => event(stream, revision, 'c', 'x'.repeat(400)));
    for (let round = 0; round < thorough(5, 1); round += 1) {
      const stream = `s-${String(round)}`;
      await hurried.append(stream, 'no stream', many(stream)).catch(() => undefined);
      expect(await patient.append(stream, 'no stream', many(stream))).toMatchObject({ kind: 'appended', revision: 1_499 });
    }
    await hurried.close();
    await patient.close();
  });

  it('answers a conflict even while answers are lost', async () => {
    await store.append('s-1', 'no stream', [event('s-1', 0)]);
    double.faults.appends.push('lose reply', 'lose reply');
    expect(await store.append('s-1', 'no stream', [event('s-1', 0, 'other')])).toEqual({ kind: 'conflict', actual: 0 });
    expect(await store.append('s-1', 4, [event('s-1', 5)])).toEqual({ kind: 'conflict', actual: 0 });
    expect(await store.append('s-2', 0, [event('s-2', 1)])).toEqual({ kind: 'conflict', actual: 'no stream' });
  });
});

it('reports refused credentials at once', async () => {
  double.faults.refusal = 'unknown user';
  const refused = /^the event store refuses the user or password in EVENTSTORE_URL$/;
  await expect(store.append('s-1', 'no stream', [event('s-1', 0)])).rejects.toThrow(refused);
  await expect(revisionsOf('s-1')).rejects.toThrow(refused);
});

it('reads a stream across a short outage of the server', async () => {
  await store.append('s-1', 'no stream', [event('s-1', 0)]);
  await double.kill();
  const reading = revisionsOf('s-1');
  await new Promise((resolve) => setTimeout(resolve, 300));
  await double.revive();
  expect(await reading).toEqual([0]);
});

it('reconnects to a cluster after discovery failed', async () => {
  const clustered = new KurrentDbEventStore(double.clusterUrl, { ...PATIENCE, deadlineMs: 4_000 });
  await clustered.append('s-1', 'no stream', [event('s-1', 0)]);
  await double.kill();
  await expect(clustered.append('s-1', 0, [event('s-1', 1)])).rejects.toThrow(StoreUnavailable);
  await double.revive();
  expect(await clustered.append('s-1', 0, [event('s-1', 1)])).toMatchObject({ kind: 'appended', revision: 1 });
  await clustered.close();
});
