import { expect, it } from '@jest/globals';
import { noSiteSentence, overviewSentence, problemSentence, restSentence, unmeasuredIn } from './sentences.ts';

const well = { total: 148, attention: 0, inMaintenance: 0, unknown: 0, isComplete: true };

it.each([
  [{ ...well, total: 0 }, 'Nothing is watched yet.'],
  [{ ...well, total: 1 }, 'The site is well.'],
  [well, 'All 148 sites are well.'],
  [{ ...well, unknown: 1 }, 'No site needs attention.'],
  [{ ...well, total: 1, unknown: 1 }, 'Nothing has been checked yet.'],
  [{ ...well, inMaintenance: 1 }, 'No site needs attention.'],
  [{ ...well, attention: 2 }, '2 of 148 sites need attention.'],
  [{ ...well, attention: 1 }, '1 of 148 sites needs attention.'],
  [{ ...well, attention: 300, total: 10_000, isComplete: false }, 'At least 300 of 10,000 sites need attention.'],
])('says of %j: %s', (counted, sentence) => {
  expect(overviewSentence(counted)).toBe(sentence);
});

it('says what the others are', () => {
  expect(restSentence(well)).toBe('');
  expect(restSentence({ ...well, attention: 2, inMaintenance: 1, unknown: 1 })).toBe(
    '144 are well, 1 is in maintenance, 1 has no result yet.',
  );
  expect(restSentence({ ...well, attention: 300, total: 10_000, isComplete: false })).toBe('At most 9,700 are well.');
});

it('calls no site well that is not being measured', () => {
  const silent = (count: number, isPast = false) => ({ silent: count, never: 0, isPast });
  expect(overviewSentence(well, silent(148))).toBe('Measurements are still to come.');
  expect(restSentence(well, silent(148))).toBe('By their last checks all sites are well.');
  expect(restSentence({ ...well, total: 1 }, silent(1))).toBe('By its last checks the site is well.');
  expect(overviewSentence(well, silent(1))).toBe('No site needs attention.');
  expect(restSentence(well, silent(1))).toBe('147 are well, 1 was not measured in the last 15 minutes.');
  expect(restSentence({ ...well, attention: 2 }, silent(40))).toBe('106 are well, 40 were not measured in the last 15 minutes.');
  expect(restSentence({ ...well, unknown: 1 }, silent(1))).toBe(
    '146 are well, 1 has no result yet, 1 was not measured in the last 15 minutes.',
  );
  expect(restSentence({ ...well, total: 2 }, { silent: 0, never: 1, isPast: false })).toBe('1 is well, 1 has no measured uptime yet.');
});

it('counts a silent site with a problem among those that need attention alone', () => {
  const since = '2026-11-26T13:58:21Z';
  const states = ['unknown', 'unknown', 'working', 'failing', 'unknown', 'unknown'] as const;
  const figures = new Map(states.map((state, index) => [String(index), { state, measuredAt: index < 2 ? since : null }]));
  const sites = states.map((_, index) => ({ id: String(index), status: index === 4 ? 'ok' : null }) as const);
  expect(unmeasuredIn(figures, sites, new Map([['0', 'warning']]))).toEqual({ silent: 1, never: 1 });
});

it('counts every site once, whatever is known of it', () => {
  for (let seed = 0; seed < 3 ** 5; seed++) {
    const part = (place: number): number => Math.floor(seed / 3 ** place) % 3;
    const [attention, inMaintenance, unknown, silent, never] = [part(0), part(1), part(2), part(3), part(4)] as const;
    const others = attention + inMaintenance + unknown + silent + never;
    const total = others + 5;
    const counted = { total, attention, inMaintenance, unknown, isComplete: true };
    const rest = restSentence(counted, { silent, never, isPast: false });
    const sum = [...rest.matchAll(/(?<=^|, )\d+/g)].reduce((all, [number]) => all + Number(number), attention);
    if (others > 0) expect([rest, sum]).toEqual([rest, total]);
    expect(rest).not.toMatch(/\b0 /);
  }
});

it('promises no measurements for an instant of the past', () => {
  const silent = { silent: 148, never: 0, isPast: true };
  expect(overviewSentence(well, silent)).toBe('No site needs attention.');
  expect(restSentence(well, silent)).toBe('148 were not measured in the last 15 minutes.');
  expect(overviewSentence({ ...well, total: 0 }, { silent: 0, never: 0, isPast: true })).toBe('Nothing was watched then.');
});

it('says which sites there are none of', () => {
  expect(noSiteSentence({ shown: 'attention', tag: null })).toBe('No site needs attention.');
  expect(noSiteSentence({ shown: 'attention', tag: 'shop' })).toBe('No site with the tag “shop” needs attention.');
  expect(noSiteSentence({ shown: 'all', tag: 'shop' })).toBe('No site has the tag “shop”.');
});

it('names what is wrong', () => {
  expect(problemSentence('check', 'failing', 'expected status 200, found 500')).toBe('is failing: expected status 200, found 500');
  expect(problemSentence('uptime', 'failing', '')).toBe('is down');
  expect(problemSentence('certificate', 'warning', 'the certificate expires in 3 days')).toBe(
    'certificate needs attention: the certificate expires in 3 days',
  );
});
