import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryLog } from '../../../test/support/memory/memory-log.ts';
import { until } from '../../../test/support/until.ts';
import { derivedId } from '../../kernel/ids.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { LogTail } from './log-tail.ts';

let store: MemoryEventStore;
let log: MemoryLog;
let tail: LogTail;
beforeEach(() => {
  const wake = new LocalWake();
  store = new MemoryEventStore({ now: () => 0 }, wake);
  log = new MemoryLog(store, wake);
  tail = new LogTail(log);
});
beforeAll(() => {
  Logger.overrideLogger(false);
});
afterEach(() => {
  tail.beforeApplicationShutdown();
});

async function append(scope: string, count = 1): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => {
    const id = derivedId('event', String(store.events.length + index));
    const meta = { actor: { kind: 'user', id: '1' }, correlationId: id, causationId: null, commandId: id, occurredAt: '' } as const;
    return { id, type: 'ProjectRenamed', version: 1, scope, data: {}, meta };
  });
  await store.append(`stream ${String(store.events.length)}`, 'no stream', events);
}

const never = new AbortController().signal;

/** Whether the wait ends before a minute. */
function wait(after: number, scope: string, signal = never): { readonly isOver: () => boolean } {
  let over = false;
  void tail.wait(after, (event) => event.scope === scope, 60_000, signal).then(() => (over = true));
  return { isOver: () => over };
}
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
const over = ({ isOver }: { readonly isOver: () => boolean }): Promise<void> =>
  until(() => Promise.resolve(isOver()), 5_000, 'the end of the wait');

describe('a wait for the next event', () => {
  it('ends for those whose event came, and continues for others', async () => {
    const [mine, other] = [wait(-1, 'mine'), wait(-1, 'other')];
    await append('mine');
    await over(mine);
    await settled();
    expect(other.isOver()).toBe(false);
  });

  it('says whether an event may have come, or only the time is over', async () => {
    const mine = (milliseconds: number): Promise<boolean> => tail.wait(-1, ({ scope }) => scope === 'mine', milliseconds, never);
    expect(await mine(1)).toBe(false);
    const waiting = mine(60_000);
    await append('mine');
    expect(await waiting).toBe(true);
    tail.beforeApplicationShutdown();
    expect(await mine(60_000)).toBe(true);
  });

  it('ends at once for an event that came between the query and the wait', async () => {
    wait(-1, 'nothing');
    for (const scope of ['mine', 'other']) await append(scope);
    await settled();
    const [missed, seen] = [wait(-1, 'mine'), wait(0, 'mine')];
    await settled();
    expect([missed.isOver(), seen.isOver()]).toEqual([true, false]);
  });

  it('ends where the events since the query are forgotten, so that its caller reads again', async () => {
    wait(-1, 'nothing');
    await append('other', 2_010);
    await settled();
    await over(wait(-1, 'mine'));
  });

  it('ends when the client disconnects, and when the instance stops', async () => {
    const disconnected = new AbortController();
    const [left, stays] = [wait(-1, 'mine', disconnected.signal), wait(-1, 'mine')];
    disconnected.abort();
    await settled();
    expect([left.isOver(), stays.isOver()]).toEqual([true, false]);
    tail.beforeApplicationShutdown();
    await over(stays);
  });

  it('ends for all when the subscription breaks, and the next wait subscribes again', async () => {
    const { follow } = log;
    log.follow = () => {
      log.follow = follow;
      throw new Error('the database is away');
    };
    const first = wait(-1, 'mine');
    await over(first);
    const second = wait(-1, 'mine');
    await append('mine');
    await over(second);
  });
});
