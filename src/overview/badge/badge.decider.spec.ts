import { describe, it } from '@jest/globals';
import { decide } from '../../../test/support/decide.ts';
import { badge, type BadgeEvent, switchBadge } from './badge.decider.ts';

const published = (serial: number): BadgeEvent => ({ type: 'BadgePublished', data: { serial } });
const withdrawn = (serial: number): BadgeEvent => ({ type: 'BadgeWithdrawn', data: { serial } });

describe('a badge', () => {
  it('gets a new serial each time it is published', () => {
    decide(badge)
      .given()
      .when((state) => switchBadge(state, true))
      .then(published(1));
    decide(badge)
      .given(published(1), withdrawn(1))
      .when((state) => switchBadge(state, true))
      .then(published(2));
  });

  it('is withdrawn with the serial that it was published with', () => {
    decide(badge)
      .given(published(1))
      .when((state) => switchBadge(state, false))
      .then(withdrawn(1));
  });

  it('stays as it is when it is switched to what it is', () => {
    decide(badge)
      .given()
      .when((state) => switchBadge(state, false))
      .then();
    decide(badge)
      .given(published(1))
      .when((state) => switchBadge(state, true))
      .then();
  });
});
