import { describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { PROJECT, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { samples } from '../../../test/samples/samples.ts';
import { reportedView } from '../../projections/read-models/reported/reported.view.ts';
import type { Failing } from '../../domain/verdict/verdict.events.ts';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});

const { failing } = samples(PROJECT).CheckFailed;
const timedOut: Failing = { status: 'timeout', rules: ['fetch'], failures: ['no answer within 3 s'] };

const fails = (changes = {}) => world.happen('CheckFailed', changes);
const recovers = (changes = {}) => world.happen('CheckRecovered', changes);

describe('who is told of what', () => {
  it('tells of a confirmed failure and its recovery, once each', async () => {
    await fails();
    await world.follow();
    expect(world.told()).toEqual(['1/webhook problem error 1']);
    await world.restart();
    await world.pass(600);
    expect(world.told()).toHaveLength(1);
    await recovers();
    await world.follow();
    expect(world.told()).toEqual(['1/webhook problem error 1', '1/webhook recovery ok 1']);
  });

  it('tells nobody of a check that fails from its first run, nor of the end of that', async () => {
    await fails({ confirmed: false });
    await world.happen('CheckFailureChanged', { from: failing, to: timedOut });
    await recovers();
    await world.follow();
    expect(world.told()).toEqual([]);
  });

  it('tells nothing of what happened before the notifier first began', async () => {
    await world.pool.query('TRUNCATE notifier_checkpoint');
    await fails();
    await world.restart();
    await recovers();
    await world.follow();
    expect(world.told()).toEqual([]);
  });

  it('tells of timeouts and their end only who wants to hear of timeouts', async () => {
    await world.happen('AccountOpened', { userId: 2, confirmed: true }, 'account-2');
    await world.setUp(2, 'webhook');
    await world.happen('MemberAdded', { userId: 2, role: '6' });
    await world.switchOn(2, 'webhook');
    await world.happen('NotificationSeverityChanged', { userId: 2, from: 1, to: 3 });
    await fails({ failing: timedOut });
    await world.follow();
    await recovers();
    await world.follow();
    expect(world.told()).toEqual(['2/webhook problem timeout 1', '2/webhook recovery ok 1']);
  });

  it('tells who was spared a timeout when it becomes an error, and nobody twice', async () => {
    await fails({ failing: timedOut });
    await world.follow();
    expect(world.told()).toEqual([]);
    await world.happen('CheckFailureChanged', { from: timedOut, to: failing });
    await world.happen('CheckFailureChanged', { from: failing, to: { ...failing, rules: ['other'] } });
    await world.follow();
    expect(world.told()).toEqual(['1/webhook problem error 1']);
  });

  it('waits as long as somebody asked for, and says nothing when it is well again by then', async () => {
    await world.happen('NotificationDelayChanged', { from: 0, to: 5 }, 'account-1');
    await fails();
    await world.follow();
    await world.pass(120);
    await recovers();
    await world.pass(600);
    expect(world.told()).toEqual([]);
    const since = new Date(world.now).toISOString();
    await fails({ since });
    await world.pass(299);
    expect(world.told()).toEqual([]);
    await world.pass(2);
    expect(world.told()).toEqual(['1/webhook problem error 1']);
  });

  it('is silent in maintenance, and tells at its end what still fails', async () => {
    const to = new Date(world.now + 3_600_000).toISOString();
    await world.happen('MaintenanceScheduled', { from: '2026-03-01T09:00:00.000Z', to, repeat: null });
    await fails({ checkId: 'one' });
    await fails({ checkId: 'two' });
    await world.pass(60);
    await recovers({ checkId: 'one' });
    await world.pass(600);
    expect(world.told()).toEqual([]);
    await world.pass(3600);
    expect(world.told()).toEqual(['1/webhook problem error 1']);
  });

  it('is silent no longer than a maintenance that is called off lasts', async () => {
    const to = new Date(world.now + 8 * 3_600_000).toISOString();
    await world.happen('MaintenanceScheduled', { windowId: 'long', from: '2026-03-01T09:00:00.000Z', to, repeat: null });
    await fails({ checkId: 'one' });
    await world.pass(600);
    await fails({ checkId: 'two' });
    await world.pass(600);
    expect(world.told()).toEqual([]);
    await world.happen('MaintenanceCancelled', { windowId: 'long', at: new Date(world.now).toISOString(), keepsPast: false });
    await world.pass(60);
    expect(world.told()).toEqual(['1/webhook problem error 2']);
  });

  it('makes one message of a flood, and one a minute of what follows', async () => {
    for (let check = 0; check < 1_000; check++) await fails({ checkId: `check-${String(check)}` });
    await world.follow();
    expect(world.told()).toEqual(['1/webhook problem error 1000']);
    await fails({ checkId: 'late' });
    await world.pass(20);
    await fails({ checkId: 'later' });
    await world.pass(20);
    expect(world.told()).toHaveLength(1);
    await world.pass(25);
    expect(world.told()).toEqual(['1/webhook problem error 1000', '1/webhook problem error 2']);
    const requested = world.recorded().filter(({ type }) => type === 'NotificationRequested');
    expect(requested.map(({ data }) => data['total'])).toEqual([1000, 2]);
  });

  it('tells of uptime, certificate and redirect, each once a change', async () => {
    await world.happen('UptimeWentDown', {});
    await world.happen('UptimeWentDown', { before: 'unknown' }, 'project-b');
    await world.follow();
    await world.pass(61);
    await world.happen('CertificateExpiryApproached', {});
    await world.happen('RedirectFailed', { before: 'ok' });
    await world.happen('RedirectFailed', { before: 'failed' });
    await world.follow();
    await world.happen('UptimeWentUp', {});
    await world.happen('CertificateSeen', { resolves: 'soon' });
    await world.happen('RedirectVerified', {});
    await world.follow();
    expect(world.told()).toEqual(['1/webhook problem error 1', '1/webhook problem error 2', '1/webhook recovery ok 3']);
  });

  it('tells once of a redirect that fails again after a time in which nobody answered, and to whom came meanwhile', async () => {
    await world.happen('RedirectFailed', { before: 'ok' });
    await world.follow();
    await world.happen('RedirectUnreachable', { before: 'failed' });
    await world.openAccount(2);
    await world.setUp(2, 'webhook');
    await world.happen('MemberAdded', { userId: 2, role: '6' });
    await world.switchOn(2, 'webhook');
    await world.happen('RedirectFailed', { before: 'unreachable' });
    await world.pass(61);
    expect(world.told()).toEqual(['1/webhook problem error 1', '2/webhook problem error 1']);
    await world.happen('RedirectVerified', {});
    await world.happen('RedirectUnreachable', { before: 'ok' });
    await world.happen('RedirectFailed', { before: 'unreachable' });
    await world.pass(61);
    expect(world.told().slice(2).sort()).toEqual(
      [1, 2].flatMap((user) => ['problem error 1', 'recovery ok 1'].map((what) => `${String(user)}/webhook ${what}`)),
    );
  });

  it('forgets who left, and what was deleted', async () => {
    await world.happen('NotificationDelayChanged', { from: 0, to: 5 }, 'account-1');
    await fails({ checkId: 'one' });
    await world.follow();
    await world.happen('CheckDeleted', { checkId: 'one' });
    await fails({ checkId: 'two' });
    await world.follow();
    await world.happen('MemberRemoved', { userId: 1 });
    await world.pass(3600);
    expect(world.told()).toEqual([]);
  });

  it('tells all others when one account cannot be read, and that one when it can', async () => {
    await world.openAccount(2);
    await world.setUp(2, 'webhook');
    await world.happen('MemberAdded', { userId: 2, role: '6' });
    await world.switchOn(2, 'webhook');
    world.parked = [['account', '2']];
    await fails();
    await world.follow();
    expect(world.told()).toEqual(['1/webhook problem error 1']);
    world.parked = [];
    await world.pass(60);
    expect(world.told()).toEqual(['1/webhook problem error 1', '2/webhook problem error 1']);
  });

  it('says how the project stands, not only what the last message told', async () => {
    const reported = async () => (await world.views.get(reportedView, PROJECT))?.status;
    await fails({ checkId: 'one' });
    await fails({ checkId: 'two', failing: timedOut });
    await world.happen('NotificationSeverityChanged', { userId: 1, from: 1, to: 3 });
    await world.follow();
    expect(await reported()).toBe('error');
    await recovers({ checkId: 'one' });
    await world.pass(61);
    expect(world.told().at(-1)).toBe('1/webhook recovery ok 1');
    expect(await reported()).toBe('timeout');
    await world.happen('CheckDeleted', { checkId: 'two' });
    await fails({ checkId: 'three' });
    await world.pass(61);
    await recovers({ checkId: 'three' });
    await world.pass(61);
    expect(await reported()).toBe('ok');
  });

  it('lets a notifier that was left behind write nothing', async () => {
    const stale = world.newProcess().notifications;
    await stale.loadCheckpoint();
    await fails();
    await world.follow();
    await fails({ checkId: 'other' });
    await expect(stale.handle(world.store.events.slice(-1))).rejects.toThrow('moved by another instance');
    const { rows } = await world.pool.query('SELECT count(*)::int AS count FROM notification_intent');
    expect(rows).toEqual([{ count: 1 }]);
  });
});
