import { expect, it } from '@jest/globals';
import { noSiteSentence, overviewSentence, problemSentence, restSentence, unmeasuredIn } from './sentences.ts';

const well = { total: 148, attention: 0, inMaintenance: 0, unknown: 0, isComplete: true };

it.each([
  [{ ...well, total: 0 }, 'Nothing is watched yet.'],
  [{ ...well, total: 1 }, 'The site is well.'],
  [well, 'All 148 sites are well.'],
  [{ ...well, unknown: 1 }, 'No site needs attention.'],
  [{ ...well, total: 1, unknown: 1 }, 'No check has run yet.'],
  [{ ...well, attention: 2 }, '2 of 148 sites need attention.'],
  [{ ...well, attention: 1 }, '1 of 148 sites needs attention.'],
  [{ ...well, attention: 300, total: 10_000, isComplete: false }, 'At least 300 of 10,000 sites need attention.'],
])('says of %j: %s', (counted, sentence) => {
  expect(overviewSentence(counted)).toBe(sentence);
});

it('says what the others are', () => {
  expect(restSentence(well)).toBe('');
  expect(restSentence({ ...well, attention: 2, inMaintenance: 1, unknown: 1 })).toBe(
    '145 are well, 1 is in maintenance, 1 has no check result yet.',
  );
});

it('calls no site well that is not being measured', () => {
  const silent = (count: number, isPast = false) => ({ count, isPast });
  expect(overviewSentence(well, silent(148))).toBe('Measurements are still to come.');
  expect(restSentence(well, silent(148))).toBe('By their last checks all sites are well.');
  expect(restSentence({ ...well, total: 1 }, silent(1))).toBe('By its last checks the site is well.');
  expect(overviewSentence(well, silent(1))).toBe('No site needs attention.');
  expect(restSentence(well, silent(1))).toBe('1 was not measured in the last 15 minutes.');
  expect(restSentence({ ...well, attention: 2 }, silent(40))).toBe('106 are well, 40 were not measured in the last 15 minutes.');
  expect(restSentence({ ...well, unknown: 1 }, silent(1))).toBe('1 has no check result yet.');
});

it('counts a silent site with a problem among those that need attention alone', () => {
  const figures = (['unknown', 'unknown', 'working', 'failing'] as const).map((state, index) => ({ id: String(index), state }));
  expect(unmeasuredIn(figures, new Map([['0', 'warning']]))).toBe(1);
});

it('promises no measurements for an instant of the past', () => {
  const silent = { count: 148, isPast: true };
  expect(overviewSentence(well, silent)).toBe('No site needs attention.');
  expect(restSentence(well, silent)).toBe('148 were not measured in the last 15 minutes.');
  expect(overviewSentence({ ...well, total: 0 }, { count: 0, isPast: true })).toBe('Nothing was watched then.');
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
