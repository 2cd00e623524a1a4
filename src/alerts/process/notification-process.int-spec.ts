import { describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { PROJECT, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { samples } from '../../../test/samples/samples.ts';
import { reportedView } from '../../checker/status/reported.view.ts';
import { FailureAlertsReader } from '../failure-alerts.reader.ts';
import type { Failing } from '../../checker/verdicts/verdict.events.ts';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});

const { failing } = samples(PROJECT).CheckFailed;
const timedOut: Failing = { status: 'timeout', rules: ['fetch'], failures: ['no answer within 3 s'] };

const fails = (changes = {}) => world.append('CheckFailed', changes);
const recovers = (changes = {}) => world.append('CheckRecovered', changes);

describe('the notification process', () => {
  it('notifies of a confirmed failure and its recovery, once each', async () => {
    await fails();
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
    await world.restart();
    await world.advance(600);
    expect(world.sentMessages()).toHaveLength(1);
    await recovers();
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '1/webhook recovery ok 1']);
  });

  it('sends no alert about a check that fails from its first run, nor of its recovery', async () => {
    await fails({ confirmed: false });
    await world.append('CheckFailureChanged', { from: failing, to: timedOut });
    await recovers();
    await world.processAndSend();
    expect(world.sentMessages()).toEqual([]);
  });

  it('tells of each failure its own alerts alone, when they leave, and whom they are for', async () => {
    const reader = new FailureAlertsReader(world.pool, world.views, { smtpUrl: undefined });
    const alertsOf = (index: number, now = world.now) =>
      reader.of(world.store.events.filter(({ type }) => type === 'CheckFailed')[index]!, 'error', now);
    await world.append('CheckCreated', { checkId: 'other' });
    await fails();
    await world.processAndSend();
    const [first, sentAt] = [await alertsOf(0), world.now];
    expect(first).toMatchObject({ delivered: 1, underWay: 0, dueAt: null, recipients: 1 });
    await fails({ checkId: 'other' });
    await world.processAndSend();
    // A channel gets one message a minute of a project.
    expect(await alertsOf(1)).toMatchObject({ delivered: 0, underWay: 0, dueAt: expect.any(Date) });
    expect(await alertsOf(0)).toEqual(first);
    await world.advance(61);
    expect(await alertsOf(1)).toMatchObject({ delivered: 1, dueAt: null });
    // As it was, and after the recovery.
    expect(await alertsOf(1, sentAt)).toMatchObject({ delivered: 0 });
    await recovers();
    await world.processAndSend();
    expect(await alertsOf(0)).toMatchObject({ delivered: 1, underWay: 0 });
  });

  it('ignores events from before its first start', async () => {
    await world.pool.query('TRUNCATE consumer, consumer_parked');
    await fails();
    await world.restart();
    await recovers();
    await world.processAndSend();
    expect(world.sentMessages()).toEqual([]);
  });

  it('notifies of timeouts and their recovery only with severity 3', async () => {
    await world.append('AccountOpened', { userId: 2, confirmed: true }, 'account-2');
    await world.setUp(2, 'webhook');
    await world.append('MemberAdded', { userId: 2, role: '6' });
    await world.switchOn(2, 'webhook');
    await world.append('NotificationSeverityChanged', { userId: 2, from: 1, to: 3 });
    await fails({ failing: timedOut });
    await world.processAndSend();
    await recovers();
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['2/webhook problem timeout 1', '2/webhook recovery ok 1']);
  });

  it('notifies recipients of errors only when a timeout becomes an error, and none of them twice', async () => {
    await fails({ failing: timedOut });
    await world.processAndSend();
    expect(world.sentMessages()).toEqual([]);
    await world.append('CheckFailureChanged', { from: timedOut, to: failing });
    await world.append('CheckFailureChanged', { from: failing, to: { ...failing, rules: ['other'] } });
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
  });

  it('waits for the notification delay and sends nothing after a recovery within it', async () => {
    await world.append('NotificationDelayChanged', { from: 0, to: 5 }, 'account-1');
    await fails();
    await world.processAndSend();
    await world.advance(120);
    await recovers();
    await world.advance(600);
    expect(world.sentMessages()).toEqual([]);
    const since = new Date(world.now).toISOString();
    await fails({ since });
    await world.advance(299);
    expect(world.sentMessages()).toEqual([]);
    await world.advance(2);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
  });

  it('is muted during maintenance and reports at its end what still fails', async () => {
    const to = new Date(world.now + 3_600_000).toISOString();
    await world.append('MaintenanceScheduled', { from: '2026-03-01T09:00:00.000Z', to, repeat: null });
    await fails({ checkId: 'one' });
    await fails({ checkId: 'two' });
    await world.advance(60);
    await recovers({ checkId: 'one' });
    await world.advance(600);
    expect(world.sentMessages()).toEqual([]);
    await world.advance(3600);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
  });

  it('is muted no longer when the maintenance window is cancelled', async () => {
    const to = new Date(world.now + 8 * 3_600_000).toISOString();
    await world.append('MaintenanceScheduled', { windowId: 'long', from: '2026-03-01T09:00:00.000Z', to, repeat: null });
    await fails({ checkId: 'one' });
    await world.advance(600);
    await fails({ checkId: 'two' });
    await world.advance(600);
    expect(world.sentMessages()).toEqual([]);
    await world.append('MaintenanceCancelled', { windowId: 'long', at: new Date(world.now).toISOString(), keepsPast: false });
    await world.advance(60);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 2']);
  });

  it('bundles a burst into one message, and what follows into one per minute', async () => {
    for (let check = 0; check < 1_000; check++) await fails({ checkId: `check-${String(check)}` });
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1000']);
    await fails({ checkId: 'late' });
    await world.advance(20);
    await fails({ checkId: 'later' });
    await world.advance(20);
    expect(world.sentMessages()).toHaveLength(1);
    await world.advance(25);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1000', '1/webhook problem error 2']);
    const requested = world.recorded().filter(({ type }) => type === 'NotificationRequested');
    expect(requested.map(({ data }) => data['total'])).toEqual([1000, 2]);
  });

  it('notifies of uptime, certificate and redirect once per change', async () => {
    await world.append('UptimeWentDown', {});
    await world.append('UptimeWentDown', { before: 'unknown' }, 'project-b');
    await world.processAndSend();
    await world.advance(61);
    await world.append('CertificateExpiryApproached', {});
    await world.append('RedirectFailed', { before: 'ok' });
    await world.append('RedirectFailed', { before: 'failed' });
    await world.processAndSend();
    await world.append('UptimeWentUp', {});
    await world.append('CertificateSeen', { resolves: 'soon' });
    await world.append('RedirectVerified', {});
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '1/webhook problem error 2', '1/webhook recovery ok 3']);
  });

  it('notifies once of a redirect that fails again after being unreachable, plus recipients added in between', async () => {
    await world.append('RedirectFailed', { before: 'ok' });
    await world.processAndSend();
    await world.append('RedirectUnreachable', { before: 'failed' });
    await world.openAccount(2);
    await world.setUp(2, 'webhook');
    await world.append('MemberAdded', { userId: 2, role: '6' });
    await world.switchOn(2, 'webhook');
    await world.append('RedirectFailed', { before: 'unreachable' });
    await world.advance(61);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '2/webhook problem error 1']);
    await world.append('RedirectVerified', {});
    await world.append('RedirectUnreachable', { before: 'ok' });
    await world.append('RedirectFailed', { before: 'unreachable' });
    await world.advance(61);
    expect(world.sentMessages().slice(2).sort()).toEqual(
      [1, 2].flatMap((user) => ['problem error 1', 'recovery ok 1'].map((what) => `${String(user)}/webhook ${what}`)),
    );
  });

  it('drops intents of former members and deleted projects', async () => {
    await world.append('NotificationDelayChanged', { from: 0, to: 5 }, 'account-1');
    await fails({ checkId: 'one' });
    await world.processAndSend();
    await world.append('CheckDeleted', { checkId: 'one' });
    await fails({ checkId: 'two' });
    await world.processAndSend();
    await world.append('MemberRemoved', { userId: 1 });
    await world.advance(3600);
    expect(world.sentMessages()).toEqual([]);
  });

  it('notifies all others while one account is parked, and that one afterwards', async () => {
    await world.openAccount(2);
    await world.setUp(2, 'webhook');
    await world.append('MemberAdded', { userId: 2, role: '6' });
    await world.switchOn(2, 'webhook');
    world.parked = [['account', '2']];
    await fails();
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
    world.parked = [];
    await world.advance(60);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '2/webhook problem error 1']);
  });

  it('records the status of the whole project with each message', async () => {
    const reported = async () => (await world.views.get(reportedView, PROJECT))?.status;
    await fails({ checkId: 'one' });
    await fails({ checkId: 'two', failing: timedOut });
    await world.append('NotificationSeverityChanged', { userId: 1, from: 1, to: 3 });
    await world.processAndSend();
    expect(await reported()).toBe('error');
    await recovers({ checkId: 'one' });
    await world.advance(61);
    expect(world.sentMessages().at(-1)).toBe('1/webhook recovery ok 1');
    expect(await reported()).toBe('timeout');
    await world.append('CheckDeleted', { checkId: 'two' });
    await fails({ checkId: 'three' });
    await world.advance(61);
    await recovers({ checkId: 'three' });
    await world.advance(61);
    expect(await reported()).toBe('ok');
  });

  it('refuses writes of an instance whose checkpoint was moved', async () => {
    const stale = world.newProcess().notifications;
    await stale.load();
    await fails();
    await world.processAndSend();
    await fails({ checkId: 'other' });
    await expect(stale.handle(world.store.events.slice(-1))).rejects.toThrow('checkpoint was moved');
    const { rows } = await world.pool.query('SELECT count(*)::int AS count FROM notification_intent');
    expect(rows).toEqual([{ count: 1 }]);
  });
});
