import { describe, it } from '@jest/globals';
import { decide } from '../../test/support/decide.ts';
import { skipForProjection, systemTarget, voidEvent } from './system.decider.ts';

const { decider } = systemTarget;
const event = { n: 7, eventId: 'x', reason: 'mistake' };
const skipped = { ...event, projection: 'titles', version: 1 };
const eventVoided = { type: 'EventVoided', data: event } as const;
const eventSkipped = { type: 'ProjectionEventSkipped', data: skipped } as const;

describe('an event that every fold skips', () => {
  it('is voided once', () => {
    decide(decider)
      .given()
      .when((state) => voidEvent(state, event))
      .then(eventVoided);
    decide(decider)
      .given(eventVoided)
      .when((state) => voidEvent(state, event))
      .then();
  });

  it('is not skipped for a single projection again', () => {
    decide(decider)
      .given(eventVoided)
      .when((state) => skipForProjection(state, skipped))
      .then();
  });
});

describe('an event that one projection skips', () => {
  it('is skipped once per version', () => {
    decide(decider)
      .given(eventSkipped)
      .when((state) => skipForProjection(state, skipped))
      .then();
    const nextVersion = { ...skipped, version: 2 };
    decide(decider)
      .given(eventSkipped)
      .when((state) => skipForProjection(state, nextVersion))
      .then({ type: 'ProjectionEventSkipped', data: nextVersion });
  });

  it('may be skipped for another projection, and voided for all', () => {
    const other = { ...skipped, projection: 'others' };
    decide(decider)
      .given(eventSkipped)
      .when((state) => skipForProjection(state, other))
      .then({ type: 'ProjectionEventSkipped', data: other });
    decide(decider)
      .given(eventSkipped)
      .when((state) => voidEvent(state, event))
      .then(eventVoided);
  });
});
