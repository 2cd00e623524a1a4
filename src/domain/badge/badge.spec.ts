import { expect, it } from '@jest/globals';
import { badge, type Badge, switchBadge } from './badge.ts';

it('gives every publishing a link of its own, and changes nothing when asked twice', () => {
  let state: Badge = badge.initial;
  const told = [false, true, true, false, false, true].map((wanted) => {
    const events = switchBadge(state, wanted);
    state = events.reduce(badge.evolve, state);
    return events.map(({ type, data }) => `${type} ${String(data.serial)}`);
  });
  expect(told).toEqual([[], ['BadgePublished 1'], [], ['BadgeWithdrawn 1'], [], ['BadgePublished 2']]);
});
