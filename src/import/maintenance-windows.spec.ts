import { describe, expect, it } from '@jest/globals';
import { importedText, reasonsOf } from '../../test/support/imported.ts';
import { readCron } from './kinds/cron-days.ts';
import { type RepeatedMaintenance, repeatedWindows } from './maintenance-windows.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const nightly: RepeatedMaintenance = { note: 'N', zone: 'UTC', startMinute: 150, minutes: 60, days: { kind: 'daily' } };
const made = (changes: Partial<RepeatedMaintenance>): readonly string[] | string => {
  const windows = repeatedWindows({ ...nightly, ...changes }, NOW);
  return typeof windows === 'string'
    ? windows
    : windows.windows.map(({ from, to, repeat }) => `${from} ${to.slice(0, 16)} ${repeat ?? 'once'}`);
};

describe('maintenance that repeats', () => {
  it('begins on its first day of this year, so that it is the same in each import', () => {
    expect(made({})).toEqual(['2026-01-01T02:30:00+00:00 2026-01-01T03:30 daily']);
    expect(made({ since: { year: 2020, month: 5, day: 5 } })).toEqual(made({}));
    expect(made({ since: { year: 2027, month: 2, day: 3 } })).toEqual(['2027-02-03T02:30:00+00:00 2027-02-03T03:30 daily']);
  });

  it('is a window for each day of the week, and one for all of them', () => {
    expect(made({ days: { kind: 'weekly', weekdays: [0, 6, 0] } })).toEqual([
      '2026-01-05T02:30:00+00:00 2026-01-05T03:30 weekly',
      '2026-01-04T02:30:00+00:00 2026-01-04T03:30 weekly',
    ]);
    expect(made({ days: { kind: 'weekly', weekdays: [0, 1, 2, 3, 4, 5, 6] } })).toEqual(made({}));
  });

  it('keeps the last day of a month on a month that has 31', () => {
    const days = { kind: 'monthly', daysOfMonth: [], lastDay: true } as const;
    expect(made({ days })).toEqual(['2026-01-31T02:30:00+00:00 2026-01-31T03:30 monthly']);
    expect(made({ days, since: { year: 2027, month: 2, day: 10 } })).toEqual(['2027-03-31T02:30:00+00:00 2027-03-31T03:30 monthly']);
  });

  it('has the time of day of its zone as it is now', () => {
    expect(made({ zone: 'America/New_York' })).toEqual(['2026-01-01T02:30:00-05:00 2026-01-01T03:30 daily']);
    const summer = repeatedWindows({ ...nightly, zone: 'Europe/Prague' }, Date.parse('2026-07-01T00:00:00Z'));
    expect(summer).toMatchObject({ windows: [{ from: '2026-01-01T02:30:00+02:00' }], changes: [expect.stringContaining('summer time')] });
  });

  it('becomes its own windows where it ends, at the local time of each day', () => {
    const until = Date.parse('2026-11-30T02:00:00Z');
    expect(made({ until })).toEqual(['2026-11-28T02:30:00+00:00 2026-11-28T03:30 once', '2026-11-29T02:30:00+00:00 2026-11-29T03:30 once']);
    const since = { year: 2027, month: 3, day: 27 };
    expect(made({ zone: 'Europe/Prague', since, until: Date.parse('2027-03-29T00:00:00Z'), startMinute: 270 })).toEqual([
      '2027-03-27T04:30:00+01:00 2027-03-27T05:30 once',
      '2027-03-28T04:30:00+02:00 2027-03-28T05:30 once',
    ]);
    expect(made({ until: NOW - 1 })).toBe('it is over');
    expect(made({ until: Date.parse('2030-01-01T00:00:00Z') })).toMatch(/^it ends on 2030-01-01/);
  });

  it.each([
    [0, 'it has no length'],
    [Number.NaN, 'it has no length'],
    [1_441, 'it lasts longer than until it begins again'],
  ])('of %p minutes is none', (minutes, reason) => {
    expect(made({ minutes })).toBe(reason);
  });
});

it.each([
  ['30 4 * * *', { startMinutes: [270], days: { kind: 'daily' } }],
  ['0 30 4 * * ?', { startMinutes: [270], days: { kind: 'daily' } }],
  ['0 0,12 * * mon-wed', { startMinutes: [0, 720], days: { kind: 'weekly', weekdays: [0, 1, 2] } }],
  ['0 2 * * 0,7', { startMinutes: [120], days: { kind: 'weekly', weekdays: [6, 6] } }],
  ['0 2 */10 * *', { startMinutes: [120], days: { kind: 'monthly', daysOfMonth: [1, 11, 21, 31], lastDay: false } }],
  ['0 2 1,L * *', { startMinutes: [120], days: { kind: 'monthly', daysOfMonth: [1], lastDay: true } }],
  ['* * * * *', null],
  ['0 2 1 1 *', null],
  ['0 2 1 * 1', null],
  ['0 25 * * *', null],
  ['0 2 * * fry', null],
  ['0 2 * * 1#2', null],
  ['30 0 2 * * *', null],
  ['', null],
])('reads the cron pattern %j', (pattern, expected) => {
  expect(readCron(pattern)).toEqual(expected);
});

describe('maintenance of a whole site', () => {
  const gatus = (...maintenance: readonly object[]) =>
    importedText(
      'gatus',
      JSON.stringify({
        maintenance: { start: '23:00', duration: '2h', timezone: 'Asia/Tokyo', every: ['Sunday'] },
        endpoints: [
          { name: 'A', url: 'https://shop.example/a', 'maintenance-windows': maintenance },
          { name: 'B', url: 'https://shop.example/b', 'maintenance-windows': maintenance.slice(0, 1) },
          { name: 'Off', enabled: false, url: 'https://shop.example/off' },
        ],
      }),
    );

  it('is what all of its running endpoints have; the rest is named', async () => {
    const found = await gatus({ start: '7:05', duration: '30m' }, { start: '08:00', duration: '1h' }, { enabled: false, start: 'x' });
    expect(found.sites[0]?.maintenance).toEqual([
      { from: '2027-01-03T23:00:00+09:00', to: '2027-01-04T01:00:00+09:00', note: '23:00 for 2h', repeat: 'weekly' },
      { from: '2027-01-01T07:05:00+00:00', to: '2027-01-01T07:35:00+00:00', note: '7:05 for 30m', repeat: 'daily' },
    ]);
    expect(reasonsOf(found).filter((reason) => reason.includes('maintenance'))).toEqual([
      'not carried: A: maintenance 08:00 for 1h: a window is of a whole site, and other checks of the site do not have it',
    ]);
  });

  it.each([
    [{ start: '24:00', duration: '1h' }, 'start 24:00: is not a time such as 23:00'],
    [{ start: '23:00', duration: '1h', timezone: 'Mars/Crater' }, 'Mars/Crater: a time zone that this machine does not know'],
    [{ start: '23:00', duration: '1h', every: ['Fry'] }, 'every: is not a list of days of the week'],
    [{ start: '23:00' }, 'it has no length'],
  ])('names what is not valid in %j', async (section, reason) => {
    expect(reasonsOf(await gatus(section))).toContain(`not carried: A: maintenance-windows: ${reason}`);
  });
});

it('reads the windows of Better Stack in the zone of a city, over midnight', async () => {
  const record = {
    id: '1',
    url: 'https://shop.example/',
    maintenance_from: '23:00:00',
    maintenance_to: '01:00:00',
    maintenance_timezone: 'Tokyo',
  };
  const found = await importedText('better-stack', JSON.stringify([{ ...record, maintenance_days: ['mon'] }]));
  expect(found.sites[0]?.maintenance).toEqual([
    { from: '2027-01-04T23:00:00+09:00', to: '2027-01-05T01:00:00+09:00', note: '23:00:00 to 01:00:00', repeat: 'weekly' },
  ]);
  const unknown = await importedText('better-stack', JSON.stringify([{ ...record, maintenance_timezone: 'Nowhere (US & Canada)' }]));
  expect(reasonsOf(unknown).join('\n')).toContain('Nowhere (US & Canada): its times, days or time zone are not known');
});

it('reads the windows of UptimeRobot of every kind, and names those without times', async () => {
  const monitor = (mwindows: unknown) =>
    JSON.stringify({ monitors: [{ id: 1, friendly_name: 'Shop', url: 'https://shop.example/', type: 1, mwindows }] });
  const window = (type: number, start: string | number, value = '') => ({
    id: type,
    type,
    friendly_name: 'W',
    start_time: start,
    duration: 30,
    value,
    status: 1,
  });
  const found = await importedText(
    'uptimerobot',
    monitor([
      window(1, Date.UTC(2027, 5, 1) / 1_000),
      window(3, '04:00', '1-7'),
      window(4, '04:00', '15'),
      { ...window(2, '05:00'), status: 0 },
      { id: 9, interval: 'once', name: 'V3', date: '2027-07-01', time: '03:00:00', duration: 15 },
      window(1, 5),
      window(4, '04:00', '32'),
    ]),
  );
  expect(found.sites[0]?.maintenance?.map(({ from, repeat = 'once' }) => `${from} ${repeat}`)).toEqual([
    '2027-06-01T00:00:00+00:00 once',
    '2027-01-04T04:00:00+00:00 weekly',
    '2027-01-03T04:00:00+00:00 weekly',
    '2027-01-15T04:00:00+00:00 monthly',
    '2027-07-01T03:00:00+00:00 once',
  ]);
  expect(reasonsOf(found).filter((reason) => reason.startsWith('not carried'))).toEqual([
    'not carried: Shop: mwindows: W: it is over',
    'not carried: Shop: mwindows: W: its times or days are not valid',
  ]);
  expect(reasonsOf(await importedText('uptimerobot', monitor([7]))).join('\n')).toContain('their times are not in the source');
});

it('gives the checks of Checkly the windows of their tags', async () => {
  const times = { startsAt: '2026-02-28T22:00:00.000Z', endsAt: '2026-02-28T23:30:00.000Z' };
  const found = await importedText(
    'checkly',
    JSON.stringify({
      checks: [{ id: 'a', name: 'Shop', checkType: 'URL', frequency: 1, tags: ['shop'], request: { url: 'https://shop.example/' } }],
      maintenanceWindows: [
        { id: 1, name: 'Monthly', tags: ['shop', 'x'], ...times, repeatInterval: 1, repeatUnit: 'MONTH' },
        { id: 2, name: 'Local', tags: ['shop'], timezone: 'Asia/Tokyo', ...times, repeatInterval: 1, repeatUnit: 'DAY' },
        { id: 3, name: 'Others', tags: ['x'], ...times, repeatInterval: 1, repeatUnit: 'WEEK' },
        { id: 4, name: 'Fortnight', tags: ['shop'], ...times, repeatInterval: 2, repeatUnit: 'WEEK' },
        { id: 5, name: 'Past', tags: ['shop'], ...times },
      ],
    }),
  );
  expect(found.sites[0]?.maintenance?.map(({ from, to, note }) => `${note} ${from} ${to}`)).toEqual([
    'Monthly 2027-01-28T22:00:00+00:00 2027-01-28T23:30:00+00:00',
    'Local 2027-01-01T07:00:00+09:00 2027-01-01T08:30:00+09:00',
  ]);
  expect(reasonsOf(found).filter((reason) => reason.startsWith('left out'))).toEqual([
    'left out: maintenance Fortnight: every 2 week: windows repeat daily, weekly or monthly',
    'left out: maintenance Past: it is over',
  ]);
});
