import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { samples } from '../../../test/samples/samples.ts';
import { PROJECT, acceptingMailer, NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { createTestMailServer, type TestMailServer } from '../../../test/support/servers/mail.ts';
import { thorough } from '../../../test/support/thorough.ts';
import { SmtpMailer } from '../../platform/mail/smtp-mailer.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { sampleKind } from '../../platform/observations/samples/postgres-samples.ts';

let database: TestDatabase;
let world: NotificationWorld;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const HOUR = 3_600;
const at = (iso: string): number => Date.parse(iso);

/** A world whose user 1 lives in a zone, at an instant of it. */
async function living(zone: string, now: string): Promise<NotificationWorld> {
  const opened = await NotificationWorld.open(database.pool, acceptingMailer);
  opened.now = at(now);
  await opened.append('TimezoneChanged', { from: 'UTC', to: zone }, 'account-1');
  await opened.processAndSend();
  return opened;
}
const subjects = (): readonly string[] => world.mails.map(({ subject }) => subject);

/** Reports are due on Sundays and Mondays, by the zone; on other days a quarter of a day shows that there is none. */
const step = (): number => (new Date(world.now).getUTCDay() <= 1 ? HOUR : thorough(HOUR, 6 * HOUR));

/** Goes through time as the planner does, and notes when each mail went out. */
async function pass(until: string): Promise<readonly string[]> {
  const sent: string[] = [];
  while (world.now < at(until)) {
    const before = world.mails.length;
    await world.advance(step());
    for (let mail = before; mail < world.mails.length; mail++) sent.push(new Date(world.now).toISOString().slice(0, 16));
  }
  return sent;
}

describe('weekly reports', () => {
  it.each([
    ['Europe/Prague', '2026-03-20T00:00:00Z', '2026-04-07T00:00:00Z', ['2026-03-23T07:00', '2026-03-30T06:00', '2026-04-06T06:00']],
    ['Europe/Prague', '2026-10-16T00:00:00Z', '2026-11-03T00:00:00Z', ['2026-10-19T06:00', '2026-10-26T07:00', '2026-11-02T07:00']],
    ['Asia/Kathmandu', '2026-03-20T00:15:00Z', '2026-03-31T00:00:00Z', ['2026-03-23T02:15', '2026-03-30T02:15']],
    ['Pacific/Apia', '2026-03-20T00:00:00Z', '2026-03-31T00:00:00Z', ['2026-03-22T19:00', '2026-03-29T19:00']],
  ])('go out at the same hour in %s from %s on, once a week', async (zone, from, until, instants) => {
    world = await living(zone, from);
    expect(await pass(until)).toEqual(instants);
    expect(new Set(world.mails.map(({ messageId }) => messageId)).size).toBe(instants.length);
    const stories = world.recorded().map(({ type, data }) => `${type} ${String(data['kind'])}`);
    expect(stories).toEqual(instants.flatMap(() => ['NotificationRequested report', 'NotificationDelivered report']));
  });

  describe('in one zone', () => {
    beforeEach(async () => {
      world = await living('Europe/Prague', '2026-03-20T00:00:00Z');
    });

    it('are written once by two instances planning at the same moment', async () => {
      const other = world.newProcess();
      world.now = at('2026-03-23T07:00:00Z');
      await Promise.all([world.plan(), other.reports.planDue(), other.reports.planDue(), world.plan()]);
      await world.advance(60);
      expect(subjects()).toEqual(['Weekly report, 16 to 22 Mar 2026: no failures in 1 project']);
    });

    it('are sent late by an instance that was off, only for the latest of several weeks', async () => {
      world.now = at('2026-03-25T15:00:00Z');
      await world.restart();
      await world.processAndSend();
      expect(subjects()).toEqual(['Weekly report, 16 to 22 Mar 2026: no failures in 1 project']);
      world.now = at('2026-05-05T15:00:00Z');
      await world.restart();
      await world.processAndSend();
      expect(subjects().slice(1)).toEqual(['Weekly report, 27 Apr to 3 May 2026: no failures in 1 project']);
    });

    it('are not repeated when the log is followed again or the read models are rebuilt', async () => {
      await pass('2026-03-24T00:00:00Z');
      await database.pool.query('UPDATE consumer SET n = -1');
      await world.restart();
      await world.processAndSend();
      await pass('2026-03-26T00:00:00Z');
      expect(subjects().filter((subject) => subject.startsWith('Weekly report'))).toHaveLength(1);
    });

    it('stop when switched off and start again with the next week', async () => {
      await world.append('ReportPeriodChanged', { from: 'week', to: 'false' }, 'account-1');
      expect(await pass('2026-04-01T00:00:00Z')).toEqual([]);
      await world.append('ReportPeriodChanged', { from: 'false', to: 'week' }, 'account-1');
      expect(await pass('2026-04-07T00:00:00Z')).toEqual(['2026-04-06T06:00']);
    });

    it('follow a change of time zone', async () => {
      await world.append('TimezoneChanged', { from: 'Europe/Prague', to: 'America/New_York' }, 'account-1');
      expect(await pass('2026-03-24T00:00:00Z')).toEqual(['2026-03-23T12:00']);
      await world.append('TimezoneChanged', { from: 'America/New_York', to: 'Pacific/Pago_Pago' }, 'account-1');
      expect(await pass('2026-03-30T00:00:00Z')).toEqual([]);
    });

    it('skip accounts that are unconfirmed, without projects or erased', async () => {
      await world.append('AccountOpened', { userId: 2, confirmed: false }, 'account-2');
      await world.openAccount(3);
      await world.openAccount(4);
      await world.append('MemberAdded', { userId: 2, role: '6' });
      await world.append('MemberAdded', { userId: 4, role: '6' });
      await world.processAndSend();
      await world.append('AccountErased', { userId: 4 }, 'account-4');
      await pass('2026-03-24T00:00:00Z');
      expect(world.mails.map(({ to }) => to)).toEqual(['user1@example.test']);
      await world.append('EmailConfirmed', {}, 'account-2');
      await world.processAndSend();
      const { rows } = await database.pool.query('SELECT user_id FROM report_plan WHERE last_week IS NOT NULL ORDER BY 1');
      expect(rows).toEqual([{ user_id: 1 }, { user_id: 2 }, { user_id: 3 }]);
    });

    it('are skipped without a mail server and not sent later', async () => {
      world = await NotificationWorld.open(database.pool);
      world.now = at('2026-03-20T00:00:00Z');
      await world.processAndSend();
      world.now = at('2026-03-24T00:00:00Z');
      await world.processAndSend();
      const { rows } = await database.pool.query('SELECT last_week::text FROM report_plan');
      expect(rows).toEqual([{ last_week: '2026-03-23' }]);
    });

    it('reach all others while one account is parked, and that one afterwards', async () => {
      await world.openAccount(2);
      await world.append('MemberAdded', { userId: 2, role: '6' });
      await world.processAndSend();
      world.parked = [['account', '2']];
      await pass('2026-03-23T09:00:00Z');
      expect(world.mails.map(({ to }) => to)).toEqual(['user1@example.test']);
      world.parked = [];
      await world.advance(60);
      expect(world.mails.map(({ to }) => to)).toEqual(['user1@example.test', 'user2@example.test']);
    });

    it('start for all others when an account is parked at the start', async () => {
      await world.openAccount(2);
      world.parked = [['account', '2']];
      await world.restart();
      await pass('2026-03-23T09:00:00Z');
      expect(world.mails.map(({ to }) => to)).toEqual(['user1@example.test']);
    });

    it('do not delay an alert, however many are due', async () => {
      await world.processAndSend();
      world.now = at('2026-03-23T07:00:00Z');
      await world.plan();
      await world.append('CheckFailed', {});
      await world.processEvents();
      await world.send();
      expect(subjects().map((subject) => subject.includes('report'))).toEqual([false, true]);
    });

    it('are not sent when switched off while one waits', async () => {
      world.now = at('2026-03-23T07:00:00Z');
      await world.plan();
      await world.append('ReportPeriodChanged', { from: 'week', to: 'false' }, 'account-1');
      await world.processAndSend();
      expect(world.mails).toEqual([]);
      expect(world.recorded().at(-1)?.data).toMatchObject({ kind: 'report', reason: 'reports were switched off' });
    });

    it('name a check that has no name yet by its address', async () => {
      const checkId = 'cccccccccccccccccccccccc';
      const { settings } = samples(PROJECT).CheckCreated;
      await world.append('CheckCreated', { checkId, settings: { ...settings, name: '' } });
      const since = new Date(world.now).toISOString();
      await world.append('CheckFailed', { checkId, since });
      await pass('2026-03-23T09:00:00Z');
      expect(world.mails.find(({ subject }) => subject.includes('report'))?.text).toMatch(
        /- check https?:\S+ was still failing at the end of the week/,
      );
    });

    it('wait until the read models show the event that caused the review', async () => {
      world.now = at('2026-03-22T20:00:00Z');
      world.shown = world.store.events.length;
      await world.append('TimezoneChanged', { from: 'Europe/Prague', to: 'Asia/Kathmandu' }, 'account-1');
      await world.processAndSend();
      world.now = at('2026-03-23T02:15:00Z');
      await world.processAndSend();
      expect(world.mails).toEqual([]);
      world.shown = Infinity;
      await world.processAndSend();
      expect(world.mails).toHaveLength(1);
    });
  });
});

describe('a weekly report over SMTP', () => {
  let mail: TestMailServer;
  let mailer: SmtpMailer;
  beforeAll(async () => {
    mail = await createTestMailServer();
    mailer = new SmtpMailer(mail.url, 'Watchledger <w@example.test>');
  });
  afterEach(async () => {
    mailer.close();
    await mail.close();
  });

  const answer = { httpStatus: 200, reason: null, dns: 1, connect: 2, tls: 3, request: 1, waiting: 100, download: 4 } as const;
  const silence = { httpStatus: 0, reason: 'refused', dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: 0 } as const;

  it('contains uptime, response times with a chart, failures, certificates and the checkpoint', async () => {
    world = await NotificationWorld.open(database.pool, mailer);
    world.now = at('2026-03-20T00:00:00Z');
    await world.processAndSend();
    await database.pool.query('TRUNCATE sample_flush, sample_hour');
    const monday = at('2026-03-16T00:00:00Z');
    const minutes = Array.from({ length: 600 }, (_, minute) => minute);
    await new PackCompactor(database.pool, sampleKind).write(
      PROJECT,
      minutes.map((minute) => ({
        at: monday + minute * 60_000,
        outcome: minute >= 300 && minute < 330 ? 'down' : 'up',
        periodSeconds: 60,
        ...(minute >= 300 && minute < 330 ? silence : { ...answer, total: 111 + (minute % 50) }),
      })),
    );
    const since = new Date(world.now).toISOString();
    await world.append('CheckFailed', { since });
    world.now += 600_000;
    await world.append('CheckRecovered', { since: new Date(world.now).toISOString(), failedSince: since });
    const span = { from: '2026-03-19T00:00:00.000Z', to: '2026-03-21T00:00:00.000Z' };
    await world.append('CheckCorrected', { ...span, reason: 'An old rule', verdicts: 'AAA=' });
    const { certificate } = samples(PROJECT).CertificateSeen;
    await world.append('CertificateSeen', { certificate: { ...certificate, validTo: '2026-03-30T00:00:00.000Z' } });
    world.checkpoint = 'watch.example/api/ledger\n12\nroot=\n\n— watch.example/api/ledger sig\n';
    world.now = at('2026-03-23T08:00:00Z');
    await world.processAndSend();
    const [raw = ''] = mail.to('user1@example.test').filter((text) => text.includes('Weekly report'));
    expect(raw).toMatch(/^Message-ID: <[0-9a-f-]{36}@example\.test>/m);
    expect(raw).toContain('multipart/alternative');
    expect(raw).toMatch(/Content-ID:\s+<response-times-1\.[0-9a-f-]+@watchledger>/i);
    expect(raw).toContain('Content-Type: image/png');
    expect(raw).toMatch(/iVBORw0KGgo/);
    expect(raw).toMatch(/Uptime: 95\.01 % \(4\.99 % down\)/);
    expect(raw).toMatch(/Response time: 13\d ms on average of 570 answers/);
    expect(raw).toMatch(/failed for 10 min, since 20 Mar 2026, 00:00:00 \(UTC\)/);
    expect(raw).toContain('Certificate: the certificate of example.com expires in 6 days, on 2026-03-30.');
    expect(raw).toMatch(/Failures: 1\./);
    expect(raw.replaceAll('=\r\n', '')).toMatch(
      /Corrected: check \S+ was reported with .*; nothing was kept that could be evaluated again\. Reason: An old rule/,
    );
    expect(raw).toContain('watch.example/api/ledger\r\n12\r\nroot=');
  });
});
