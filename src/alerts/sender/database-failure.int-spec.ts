import { describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { answered, PROJECT, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});

const states = async (): Promise<unknown[]> =>
  (await world.deliveries.ofUser(1, null, { limit: 10 })).map(({ state, attempts }) => `${state} ${String(attempts)}`);

/** A message that was tried once, at a receiver that is down. */
async function tried(): Promise<void> {
  world.reply = () => answered(503);
  await world.append('CheckFailed', {});
  await world.processAndSend();
  expect(await states()).toEqual(['due 1']);
}

/** A quarter of an hour at a time: no two tries are further apart. The first ones are due sooner, and so some two hours are no part of the day. */
async function hours(count: number): Promise<void> {
  for (let quarter = 0; quarter < 4 * count; quarter++) await world.advance(900);
}

describe('the 24 hours in which a message is tried', () => {
  it('do not count time in which the service was off', async () => {
    await tried();
    world.now += 3 * 86_400_000;
    await world.restart();
    await world.processAndSend();
    expect(await states()).toEqual(['due 2']);
    await hours(23);
    expect(await states()).toEqual([expect.stringMatching('due')]);
    await hours(4);
    expect(await states()).toEqual([expect.stringMatching('failed')]);
  });

  it('do not count time in which a failure on our side prevented attempts', async () => {
    await tried();
    world.parked = [['project', PROJECT]];
    await hours(30);
    expect(await states()).toEqual(['due 1']);
    world.parked = [];
    await world.advance(60);
    expect(await states()).toEqual(['due 2']);
    world.reply = () => answered(200);
    await world.advance(60);
    expect(await states()).toEqual(['delivered 3']);
  });

  it('do not count time in which a recovery waited for the failure that it ends', async () => {
    await tried();
    await world.append('CheckRecovered', {});
    await hours(27);
    expect(await states()).toEqual([expect.stringMatching('due'), expect.stringMatching('failed')]);
    world.reply = () => answered(200);
    await hours(1);
    expect(await states()).toEqual([expect.stringMatching('delivered'), expect.stringMatching('failed')]);
  });
});
