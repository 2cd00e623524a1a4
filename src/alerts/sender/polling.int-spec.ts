import { describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { answered, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { until } from '../../../test/support/until.ts';
import { MessageBundler } from './message-bundler.ts';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});

describe('the delivery worker between two polls', () => {
  const nextLook = async (): Promise<number | null> => {
    const at = await new MessageBundler(world.pool).nextAt(world.now);
    return at === null ? null : (at - world.now) / 1000;
  };

  it('sleeps while there is nothing to do', async () => {
    await world.append('CheckFailed', {});
    await world.processAndSend();
    expect(await nextLook()).toBeNull();
  });

  it('sleeps until the next attempt of the failure while its recovery waits behind it', async () => {
    world.reply = () => answered(503, 300_000);
    await world.append('CheckFailed', {});
    await world.processAndSend();
    await world.append('CheckRecovered', {});
    await world.processAndSend();
    await world.advance(100);
    expect(world.posts).toHaveLength(1);
    expect(await nextLook()).toBe(200);
  });

  it('sleeps until the end of the bundling minute', async () => {
    await world.append('CheckFailed', { checkId: 'one' });
    await world.processAndSend();
    await world.append('CheckFailed', { checkId: 'two' });
    await world.advance(10);
    expect(await nextLook()).toBeCloseTo(50, 1);
  });

  it('sleeps until the next intent is due', async () => {
    await world.append('NotificationDelayChanged', { from: 0, to: 5 }, 'account-1');
    await world.append('CheckFailed', { since: new Date(world.now).toISOString() });
    await world.processAndSend();
    expect(await nextLook()).toBe(300);
  });

  it('ends without sleeping when it was stopped during a poll', async () => {
    const over = new AbortController();
    const working = world.newProcess().delivery.work(over.signal);
    over.abort();
    await working;
    expect(world.waits).toEqual([]);
  });

  it('finds what was written without a ring to an outbox that was empty', async () => {
    const over = new AbortController();
    const working = world.newProcess().delivery.work(over.signal);
    await until(() => Promise.resolve(world.waits.length > 0), 10_000);
    world.wake.ring = () => undefined;
    await world.append('CheckFailed', {});
    await world.processEvents();
    await until(() => Promise.resolve(world.posts.length === 1), 20_000);
    over.abort();
    await working;
  });

  it('wakes by itself when it is due', async () => {
    let refused = 0;
    world.reply = () => (refused++ === 0 ? answered(503) : answered(200));
    await world.append('CheckFailed', {});
    await world.processEvents();
    const over = new AbortController();
    const working = world.newProcess().delivery.work(over.signal);
    await until(() => Promise.resolve(world.posts.length === 1 && world.waits.length > 0), 10_000);
    await world.append('CheckRecovered', {});
    await world.processEvents();
    await until(() => Promise.resolve(world.waits.length > 1), 10_000);
    // A clock that stands still: nothing is due sooner, and nothing is asked in between.
    expect(Math.min(...world.waits)).toBe(5_000);
    world.now += 5_000;
    await until(() => Promise.resolve(world.posts.length === 3), 20_000);
    over.abort();
    await working;
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '1/webhook problem error 1', '1/webhook recovery ok 1']);
  });
});
