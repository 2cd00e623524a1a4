import { expect, it } from '@jest/globals';
import { secondsBetweenStarts } from './area.settings.ts';

it('a group starts at its own period, at the project’s, or only by hand', () => {
  expect(secondsBetweenStarts('8 hours', '5 minutes')).toBe(28_800);
  expect(secondsBetweenStarts('true', '5 minutes')).toBe(300);
  expect(secondsBetweenStarts('true', 'false')).toBeNull();
  expect(secondsBetweenStarts('false', '5 minutes')).toBeNull();
});
