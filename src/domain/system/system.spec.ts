import { describe, expect, it } from '@jest/globals';
import { skipForProjection, systemTarget, voidEvent } from './system.ts';

const { initial, evolve } = systemTarget.decider;
const event = { n: 7, eventId: 'x', reason: 'mistake' };
const skipped = { ...event, projection: 'titles', version: 1 };
const after = (...events: readonly Parameters<typeof evolve>[1][]) => events.reduce(evolve, initial);

describe('passing over an event', () => {
  it('is said once for all', () => {
    const voided = voidEvent(initial, event);
    expect(voided).toEqual([{ type: 'EventVoided', data: event }]);
    expect(voidEvent(after(...voided), event)).toEqual([]);
    expect(skipForProjection(after(...voided), skipped)).toEqual([]);
  });

  it('is said once for a version of a projection, and leaves the others alone', () => {
    const once = skipForProjection(initial, skipped);
    expect(once).toEqual([{ type: 'ProjectionEventSkipped', data: skipped }]);
    const state = after(...once);
    expect(skipForProjection(state, skipped)).toEqual([]);
    expect(skipForProjection(state, { ...skipped, version: 2 })).toHaveLength(1);
    expect(skipForProjection(state, { ...skipped, projection: 'others' })).toHaveLength(1);
    expect(voidEvent(state, event)).toHaveLength(1);
  });
});
