import { describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { createTestMailServer } from '../../../test/support/servers/mail.ts';
import { SmtpMailer } from '../../platform/mail/smtp-mailer.ts';
import { until } from '../../../test/support/until.ts';
import { answered, NotificationWorld } from '../../../test/support/notifications/notification-world.ts';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});

const states = async (): Promise<unknown[]> =>
  (await world.deliveries.ofUser(1, null, { limit: 10 })).map(({ state, attempts }) => `${state} ${String(attempts)}`);
const types = (): string[] => world.recorded().map(({ type }) => type);

describe('delivering messages', () => {
  it('retries with exponential back-off under the same id until delivered', async () => {
    world.reply = () => answered(500);
    await world.append('CheckFailed', {});
    await world.processAndSend();
    await world.advance(4);
    expect(world.posts).toHaveLength(1);
    await world.advance(2);
    await world.advance(9);
    expect(world.posts).toHaveLength(2);
    world.reply = () => answered(200);
    await world.advance(2);
    expect(world.posts).toHaveLength(3);
    expect(new Set(world.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await states()).toEqual(['delivered 3']);
    expect(String(world.posts[0]?.body)).toMatch(/"evidence":"https:\/\/watch\.example\/console\/projects\/\w+\/events\/[\w-]+"/);
    expect(types()).toEqual(['NotificationRequested', 'NotificationDelivered']);
  });

  it('makes a last attempt at the deadline even if Retry-After is later', async () => {
    world.reply = () => {
      world.now += 1_000;
      return answered(503, 86_400_000);
    };
    await world.append('CheckFailed', {});
    await world.processAndSend();
    expect(await states()).toEqual(['due 1']);
    world.reply = () => answered(200);
    await world.advance(86_400);
    expect(await states()).toEqual(['delivered 2']);
  });

  it('is not delayed by messages made under a clock that was ahead', async () => {
    world.now += 3_600_000;
    await world.append('CheckFailed', { checkId: 'one' });
    await world.processAndSend();
    expect(world.posts).toHaveLength(1);
    world.reply = () => ({ kind: 'failed', reason: 'connect ECONNREFUSED' });
    await world.append('CheckRecovered', { checkId: 'one' });
    await world.processAndSend();
    expect(world.posts).toHaveLength(2);
    world.now -= 3_600_000;
    world.reply = () => answered(200);
    await world.append('CheckFailed', { checkId: 'two' });
    await world.processAndSend();
    await world.advance(10);
    expect((await states()).toSorted()).toEqual(['delivered 1', 'delivered 1', 'delivered 2']);
  });

  it('is not delayed by intents written under a clock that was ahead', async () => {
    world.now += 3_600_000;
    const failed = (): Promise<void> => world.append('CheckFailed', { checkId: 'one', since: new Date(world.now).toISOString() });
    for (const [happen, pause] of [
      [failed, 30],
      [() => world.append('CheckRecovered', { checkId: 'one' }), 31],
      [failed, 1],
      [() => world.append('CheckRecovered', { checkId: 'one' }), 0],
    ] as const) {
      await happen();
      await world.processAndSend();
      await world.advance(pause);
    }
    // The last recovery waits for the end of a minute.
    expect(world.posts).toHaveLength(3);
    world.now -= 3_600_000;
    await world.advance(70);
    expect(world.posts).toHaveLength(4);
    world.now += 3_600_000;
    await world.append('CheckFailed', { checkId: 'two', since: new Date(world.now).toISOString() });
    await world.append('CheckFailed', { checkId: 'three', since: new Date(world.now).toISOString() });
    await world.processEvents();
    world.now -= 3_600_000;
    await world.advance(70);
    expect(world.posts).toHaveLength(5);
  });

  it('honours Retry-After', async () => {
    world.reply = () => answered(429, 300_000);
    await world.append('CheckFailed', {});
    await world.processAndSend();
    await world.advance(299);
    expect(world.posts).toHaveLength(1);
    await world.advance(2);
    expect(world.posts).toHaveLength(2);
  });

  it('fails for good at a final refusal, with its reason, and retries on request of the recipient', async () => {
    world.reply = () => answered(404);
    await world.append('CheckFailed', {});
    await world.processAndSend();
    await world.advance(86_400);
    expect(world.posts).toHaveLength(1);
    expect(world.recorded().at(-1)).toMatchObject({ type: 'NotificationGivenUp', data: { reason: 'answered 404', attempts: 1 } });
    const [given] = await world.deliveries.ofUser(1, 'failed', { limit: 10 });
    expect(await world.deliveries.retry(2, given!.id)).toBe(false);
    expect(await world.deliveries.retry(1, given!.id)).toBe(true);
    world.reply = () => answered(200);
    // The table's own clock set the next try.
    world.now = Date.now() + 1_000;
    await world.send();
    expect(await states()).toEqual(['delivered 2']);
    expect(types()).toEqual(['NotificationRequested', 'NotificationGivenUp', 'NotificationDelivered']);
  });

  it('fails for good after 24 hours', async () => {
    world.reply = () => ({ kind: 'failed', reason: 'connect ECONNREFUSED' });
    await world.append('CheckFailed', {});
    await world.processAndSend();
    // The first tries are due sooner than after a quarter of an hour: the sender paused for that long.
    for (let quarter = 0; quarter < 4 * 27; quarter++) await world.advance(900);
    expect(world.recorded().at(-1)).toMatchObject({
      type: 'NotificationGivenUp',
      data: { reason: expect.stringContaining('tried for 24 hours') },
    });
    expect(world.posts.length).toBeGreaterThan(80);
    const tries = world.posts.length;
    await world.advance(3600);
    expect(world.posts).toHaveLength(tries);
  });

  it('never lets a recovery overtake its failure', async () => {
    world.reply = () => answered(503);
    await world.append('CheckFailed', {});
    await world.processAndSend();
    await world.append('CheckRecovered', {});
    await world.advance(10);
    expect(world.sentMessages().every((text) => text.includes('problem'))).toBe(true);
    world.reply = () => answered(200);
    await world.advance(60);
    expect(world.sentMessages().slice(-2)).toEqual(['1/webhook problem error 1', '1/webhook recovery ok 1']);
    expect(await states()).toEqual(expect.arrayContaining(['delivered 1']));
  });

  it('records a message once and sends it at most twice when two instances deliver it at once', async () => {
    const other = world.newProcess().delivery;
    const { signal } = new AbortController();
    await world.append('CheckFailed', {});
    await world.processEvents();
    const beside = async (): Promise<void> => {
      while ((await other.poll(signal)) > 0) await other.drain();
    };
    await Promise.all([world.send(), beside(), beside()]);
    await world.advance(60);
    expect(types()).toEqual(['NotificationRequested', 'NotificationDelivered']);
    expect(world.posts.length).toBeLessThanOrEqual(2);
    expect(new Set(world.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await states()).toEqual([expect.stringMatching('delivered')]);
  });

  it('fails messages whose recipient is gone', async () => {
    await world.append('NotificationDelayChanged', { from: 0, to: 5 }, 'account-1');
    await world.append('CheckFailed', {});
    await world.processAndSend();
    await world.append('ChannelRemoved', { channel: 'webhook' }, 'account-1');
    await world.advance(600);
    expect(world.posts).toEqual([]);
    expect(world.recorded().at(-1)).toMatchObject({ type: 'NotificationGivenUp', data: { reason: 'the channel is not set up' } });
  });

  it('delivers on other channels while one channel hangs', async () => {
    const crowd = Array.from({ length: 40 }, (_, index) => index + 2);
    for (const userId of crowd) {
      await world.openAccount(userId);
      await world.setUp(userId, 'slack');
      await world.append('MemberAdded', { userId, role: '6' });
      await world.switchOn(userId, 'slack');
    }
    let release: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => (release = resolve));
    world.reply = async ({ url }) => {
      if (url.includes('slack')) await stuck;
      return answered(200);
    };
    const hooks = (): number => world.posts.filter(({ url }) => url.includes('webhook')).length;
    await world.append('CheckFailed', { checkId: 'one' });
    await world.processEvents();
    // More wait for the channel than it lets through at once, and none of those that go is ever answered.
    await world.startSending();
    await until(() => Promise.resolve(world.posts.length === 17), 30_000, 'all that the channels let through');
    expect(hooks()).toBe(1);
    for (const [minute, checkId] of ['two', 'three'].entries()) {
      world.now += 61_000;
      await world.append('CheckFailed', { checkId });
      await world.processEvents();
      await until(async () => (await world.startSending()) >= 0 && hooks() === minute + 2, 30_000, 'the channel that is not stuck');
    }
    expect(world.posts).toHaveLength(19);
    release();
    await until(async () => (await world.startSending()) === 0 && world.posts.length >= 43, 30_000, 'everybody else');
    await world.drain();
  });

  it('survives an hour without the mail server: no message is lost and other channels go on', async () => {
    const server = await createTestMailServer();
    const mailer = new SmtpMailer(server.url, 'Watchledger <w@example.test>');
    server.reply = (verb) => (verb === 'CONNECT' ? '421 down' : undefined);
    world = await NotificationWorld.open(world.pool, mailer);
    await world.append('CheckFailed', { checkId: 'one' });
    await world.processAndSend();
    for (let minute = 1; minute <= 60; minute++) {
      if (minute === 20) await world.append('CheckFailed', { checkId: 'two' });
      if (minute === 40) await world.append('CheckRecovered', { checkId: 'one' });
      await world.advance(60);
    }
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '1/webhook problem error 1', '1/webhook recovery ok 1']);
    const waiting = (await world.deliveries.ofUser(1, 'due', { limit: 10 })).map(
      ({ channel, lastAnswer }) => `${channel}: ${String(lastAnswer)}`,
    );
    expect(waiting).toHaveLength(3);
    expect(waiting.every((one) => one.startsWith('email: '))).toBe(true);
    const tries = world.mails.length;
    expect(tries).toBeLessThan(40);
    server.reply = () => undefined;
    for (let minute = 0; minute < 20; minute++) await world.advance(60);
    const mails = server.to('user1@example.test').map((raw) => (raw.includes('has recovered') ? 'recovery' : 'problem'));
    expect(mails).toEqual(['problem', 'problem', 'recovery']);
    expect((await world.deliveries.ofUser(1, 'delivered', { limit: 10 })).filter(({ channel }) => channel === 'email')).toHaveLength(3);
    mailer.close();
    await server.close();
  });

  it('deletes messages that ended long ago, but not those about a failure that has not ended', async () => {
    await world.append('CheckFailed', { checkId: 'over' });
    await world.processAndSend();
    await world.append('CheckRecovered', { checkId: 'over' });
    await world.advance(61);
    await world.append('CheckFailed', { checkId: 'long' });
    await world.processAndSend();
    await world.advance(100 * 86_400);
    expect(await world.deliveries.ofUser(1, null, { limit: 10 })).toHaveLength(1);
    await world.append('CheckRecovered', { checkId: 'long' });
    await world.processAndSend();
    expect(world.sentMessages().at(-1)).toBe('1/webhook recovery ok 1');
    expect(world.sentMessages()).toHaveLength(4);
  });
});
