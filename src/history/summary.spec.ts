import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { LogEvent } from '../kernel/event.ts';
import { presentEvent } from './event.presenter.ts';
import { summaryOf } from './summary.ts';
import { csvOf } from './tables.ts';

const names = { check: (id: string) => `check ${id}`, area: (id: string) => `area ${id}`, user: (id: number) => `user ${String(id)}` };

const event = (type: string, data: object): LogEvent => ({
  n: 7,
  id: '11111111-1111-4111-8111-111111111111',
  stream: 'project-1',
  revision: 3,
  type,
  version: 2,
  scope: 'project-1',
  recordedAt: '2026-03-01T12:00:00.000001Z',
  data,
  meta: {
    actor: { kind: 'user', id: '5' },
    correlationId: '11111111-1111-4111-8111-111111111111',
    causationId: null,
    commandId: 'c',
    occurredAt: '2026-03-01T12:00:00.000Z',
  },
});

describe('an event in the history', () => {
  it('of an unknown type is shown unchanged, never dropped', () => {
    const old = event('CheckPainted', { checkId: '1', colour: 'green', nested: [{ deep: true }] });
    const shown = presentEvent(old, null, summaryOf(old, names));
    expect(shown).toMatchObject({ type: 'CheckPainted', version: 2, position: '7', summary: 'CheckPainted (of an older version)' });
    expect(shown.data).toEqual({ checkId: '1', colour: 'green', nested: [{ deep: true }] });
  });

  it.each([
    [undefined, 'changed to 2 rules'],
    [['one'], 'changed from 1 rule to 2 rules'],
    [['one', 'two'], 'changed, still 2 rules'],
  ])('of rules that were %j says how many there are', (from, words) => {
    const changed = event('CheckRulesChanged', { checkId: '1', ...(from !== undefined && { from }), to: ['three', 'four'] });
    expect(summaryOf({ ...changed, version: 1 }, names)).toBe(`Rules of check check 1 ${words}`);
  });

  it.each([
    ['CertificateExpiryApproached', { host: 'example.com', daysLeft: 1 }, 'The certificate of example.com expires in 1 day'],
    ['PeriodChanged', { from: '1 hour', to: 'false' }, 'Period of the checks changed from "1 hour" to "only when started"'],
    ['AreaPeriodChanged', { areaId: '1', from: 'true', to: '1 day' }, 'Period of group area 1 changed from "that of the site" to "1 day"'],
    ['UptimePeriodChanged', { from: '60', to: 'false' }, 'Period of the uptime probes changed from "60 s" to "not watched"'],
    ['NotificationSeverityChanged', { userId: 5, from: 1, to: 3 }, 'What user 5 hears of changed from "errors" to "errors and timeouts"'],
    ['NotificationChannelSwitched', { userId: 5, channel: 'webPush', to: true }, 'Notifications of user 5 by web push switched on'],
    ['MemberAdded', { userId: 5, role: '6' }, 'user 5 added as guest'],
  ])('of type %s is said in the words of a person', (type, data, words) => {
    expect(summaryOf({ ...event(type, data), version: 1 }, names)).toBe(words);
  });

  it.each(['constructor', '__proto__', 'toString'])('named %s, like a member of Object, has no sentence', (type) => {
    expect(summaryOf(event(type, {}), names)).toBe(`${type} (of an older version)`);
  });

  it.each([
    ['CheckSwitched', 2, { check: '1' }],
    ['CheckCreated', 1, { checkId: '1' }],
    ['ProjectRenamed', 0, { to: 'x' }],
  ])('of type %s in an unreadable shape (version %i) is shown all the same', (type, version, data) => {
    const odd = { ...event(type, data), version };
    expect(summaryOf(odd, names)).toBe(`${type} (of version ${String(version)}, which cannot be read here)`);
    expect(presentEvent(odd, null, '').data).toEqual(data);
  });

  it('hides sealed values, also of an unknown type', () => {
    const old = event('KeyGiven', {
      key: { subject: 'account-1', sealed: 'ciphertext' },
      list: [{ subject: 'account-1', sealed: 'more' }],
    });
    const { data } = presentEvent(old, null, summaryOf(old, names));
    expect(data).toEqual({ key: '(hidden)', list: ['(hidden)'] });
  });
});

describe('a CSV cell', () => {
  const cellOf = async (title: string): Promise<string> => {
    const row = presentEvent(event('ProjectRenamed', {}), title, title);
    let text = '';
    for await (const part of csvOf(Readable.from([[row]]))) text += part;
    return text;
  };

  it.each(['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠x', '=cmd|"/c calc"!A1'])(
    'is not evaluated by a spreadsheet: %j',
    async (text) => {
      const csv = await cellOf(text);
      const cells = csv.slice(csv.indexOf('\r\n') + 2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g);
      const values = [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
      expect(values.filter((value) => value === `'${text}`)).toHaveLength(2);
      for (const value of values) expect(value).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    },
  );
});
