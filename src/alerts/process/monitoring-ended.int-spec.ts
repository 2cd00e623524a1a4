import { beforeEach, describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { answered, PROJECT, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { samples } from '../../../test/samples/samples.ts';
import type { Failing } from '../../checker/verdicts/verdict.events.ts';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});

const { failing } = samples(PROJECT).CheckFailed;
const timedOut: Failing = { status: 'timeout', rules: ['fetch'], failures: ['no answer within 3 s'] };

const fails = (changes = {}) => world.append('CheckFailed', changes);
const recovers = (changes = {}) => world.append('CheckRecovered', changes);

describe('when monitoring of a failed target ends', () => {
  beforeEach(async () => {
    await world.setUp(1, 'pagerduty');
    await world.switchOn(1, 'pagerduty');
    await world.processAndSend();
  });
  const incidents = (): readonly string[] =>
    world.posts
      .filter(({ url }) => url.includes('pagerduty'))
      .map(({ body }) => JSON.parse(String(body)) as { readonly event_action: string; readonly dedup_key: string })
      .map(({ event_action: action, dedup_key: key }) => `${action} ${key}`);
  const openEpisodes = async (): Promise<number> => (await world.pool.query('SELECT FROM notification_episode')).rowCount ?? 0;

  type Ending = readonly [string, () => Promise<void>, () => Promise<void>];
  const endings: readonly Ending[] = [
    ['a check that is deleted', () => fails(), () => world.append('CheckDeleted', { checkId: samples(PROJECT).CheckFailed.checkId })],
    [
      'a check that is switched off',
      () => fails(),
      () => world.append('CheckSwitched', { checkId: samples(PROJECT).CheckFailed.checkId, from: true, to: false }),
    ],
    ['a project that is deleted', () => fails(), () => world.append('ProjectDeleted', {})],
    [
      'uptime that is switched off',
      () => world.append('UptimeWentDown', {}),
      () => world.append('UptimePeriodChanged', { from: '60', to: 'false' }),
    ],
    [
      'a redirect that is no longer monitored',
      () => world.append('RedirectFailed', { before: 'ok' }),
      () => world.append('RedirectWatchSwitched', { from: true, to: false }),
    ],
    [
      'a redirect to a site that has none any more',
      () => world.append('RedirectFailed', { before: 'ok' }),
      () => world.append('ProjectUrlChanged', { from: 'https://example.com', to: 'https://example.com:8443/' }),
    ],
    [
      'a certificate of a site that has none any more',
      () => world.append('CertificateExpired', {}),
      () => world.append('ProjectUrlChanged', { from: 'https://example.com', to: 'http://example.com' }),
    ],
  ];
  it.each(endings)('resolves the incident of %s and notifies no other recipient', async (_, begin, end) => {
    await begin();
    await world.processAndSend();
    expect([world.sentMessages(), incidents()]).toEqual([['1/webhook problem error 1'], [expect.stringMatching('trigger')]]);
    await end();
    await world.processAndSend();
    await world.advance(600);
    const [, opened] = incidents()[0]!.split(' ');
    expect(incidents()).toEqual([`trigger ${opened!}`, `resolve ${opened!}`]);
    expect(world.sentMessages()).toHaveLength(1);
    expect(await openEpisodes()).toBe(0);
    expect((await world.remaining()).problems).toEqual([]);
  });

  it('starts a new episode when monitoring is switched on again', async () => {
    await fails();
    await world.processAndSend();
    const { checkId } = samples(PROJECT).CheckFailed;
    await world.append('CheckSwitched', { checkId, from: true, to: false });
    await world.append('CheckSwitched', { checkId, from: false, to: true });
    await world.processAndSend();
    // Like a new check that fails from its first run: no alert is sent until it passed once.
    await world.append('CheckFailureChanged', { from: failing, to: timedOut });
    await recovers();
    await world.advance(61);
    expect(world.sentMessages()).toHaveLength(1);
    await fails();
    await world.advance(61);
    await recovers();
    await world.advance(61);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '1/webhook problem error 1', '1/webhook recovery ok 1']);
  });

  it('leaves an incident open while another failure in it continues', async () => {
    await fails({ checkId: 'one' });
    await fails({ checkId: 'two' });
    await world.processAndSend();
    await world.append('CheckDeleted', { checkId: 'one' });
    await world.advance(61);
    expect(incidents()).toHaveLength(1);
    await recovers({ checkId: 'two' });
    await world.advance(61);
    expect(incidents().map((one) => one.split(' ')[0])).toEqual(['trigger', 'resolve']);
  });

  it('resolves nothing that was not sent, and cancels the waiting alert', async () => {
    await world.append('NotificationDelayChanged', { from: 0, to: 5 }, 'account-1');
    await fails();
    await world.processAndSend();
    await world.append('ProjectDeleted', {});
    await world.advance(3600);
    expect(world.posts).toEqual([]);
  });

  it('resolves the incidents of a member who leaves and sends the recovery to the others only', async () => {
    await world.openAccount(2);
    await world.setUp(2, 'webhook');
    await world.append('MemberAdded', { userId: 2, role: '6' });
    await world.switchOn(2, 'webhook');
    await fails();
    await world.processAndSend();
    await world.append('MemberRemoved', { userId: 1 });
    await world.processAndSend();
    await recovers();
    await world.advance(61);
    expect(incidents().map((one) => one.split(' ')[0])).toEqual(['trigger', 'resolve']);
    expect(world.sentMessages().toSorted()).toEqual(['1/webhook problem error 1', '2/webhook problem error 1', '2/webhook recovery ok 1']);
  });

  it('recalls an alert that is not delivered yet', async () => {
    world.reply = () => answered(503);
    await fails({ checkId: 'one' });
    await fails({ checkId: 'two' });
    await world.processAndSend();
    await world.append('CheckDeleted', { checkId: 'one' });
    world.reply = () => answered(200);
    await world.advance(60);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 2', '1/webhook problem error 1']);
    world.reply = () => answered(503);
    await world.advance(60);
    await fails({ checkId: 'three' });
    await world.processAndSend();
    await world.append('CheckDeleted', { checkId: 'three' });
    world.reply = () => answered(200);
    await world.advance(3600);
    expect(world.sentMessages()).toHaveLength(3);
    expect(world.recorded().at(-1)?.data).toMatchObject({ kind: 'withdrawal' });
    expect(world.recorded().map(({ data }) => data['reason'])).toContain('the failed target is no longer monitored');
  });

  it('refuses to retry an alert whose recovery was already sent', async () => {
    const again = async (): Promise<void> => {
      for (const { id } of await world.deliveries.ofUser(1, 'failed', { limit: 10 })) await world.deliveries.retry(1, id);
      await world.pool.query(`UPDATE notification_message SET next_try = $1 WHERE state = 'due'`, [new Date(world.now)]);
      await world.advance(61);
    };
    world.reply = () => answered(400);
    await fails({ checkId: 'one' });
    await fails({ checkId: 'two' });
    await world.processAndSend();
    world.reply = () => answered(200);
    await recovers({ checkId: 'one' });
    await world.advance(61);
    await again();
    expect(incidents().map((one) => one.split(' ')[0])).toEqual(['trigger', 'trigger']);
    await recovers({ checkId: 'two' });
    await world.advance(61);
    expect(incidents().map((one) => one.split(' ')[0])).toEqual(['trigger', 'trigger', 'resolve']);
    world.reply = () => answered(400);
    await fails({ checkId: 'three' });
    await world.processAndSend();
    world.reply = () => answered(200);
    await recovers({ checkId: 'three' });
    await world.advance(61);
    await again();
    expect(incidents().map((one) => one.split(' ')[0])).toEqual(['trigger', 'trigger', 'resolve', 'trigger', 'resolve']);
    const [last] = world.recorded().flatMap(({ data }) => (data['reason'] === 'its recovery was already sent' ? [data['channel']] : []));
    expect(last).toBe('pagerduty');
    // A program that wants to know of everything gets what it missed.
    expect(world.sentMessages().at(-1)).toBe('1/webhook problem error 1');
  });

  it('sends nothing to a member who left while a message was due', async () => {
    world.reply = () => answered(503);
    await fails();
    await world.processAndSend();
    await world.append('MemberRemoved', { userId: 1 });
    await world.processAndSend();
    world.reply = () => answered(200);
    await world.advance(60);
    expect(world.sentMessages()).toHaveLength(1);
    expect(world.recorded().map(({ data }) => data['reason'])).toContain('no longer a member of the project');
  });
});
