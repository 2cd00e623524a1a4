import { describe, expect, it } from '@jest/globals';
import type { DestinationEvents } from './destination.events.ts';
import {
  addDestination,
  changeDestination,
  type DestinationEvent,
  type Destinations,
  evolveDestinations,
  MAX_DESTINATIONS,
  noDestinations,
  pauseDestination,
  removeDestination,
  replayDestination,
  resumeDestination,
} from './destination.decider.ts';

const sealed = (text: string) => ({ subject: 'project-p', sealed: text });
const wanted = (destinationId: string): DestinationEvents['DestinationAdded'] => ({
  ...({ destinationId, kind: 'webhook', name: 'Warehouse', host: 'https://a.example' } as const),
  values: { url: sealed('u'), secret: sealed('s') },
  filter: { types: ['CheckFailed'], scopes: null },
  ...{ after: 7, by: 1 },
});
const after = (events: readonly DestinationEvent[], before: Destinations = noDestinations): Destinations =>
  events.reduce(evolveDestinations, before);
const one = after(addDestination(noDestinations, wanted('d')));

describe('destinations', () => {
  it('are added once, and at most ten', () => {
    expect(addDestination(one, wanted('d'))).toEqual([]);
    let many = noDestinations;
    for (let nth = 0; nth < MAX_DESTINATIONS; nth++) many = after(addDestination(many, wanted(String(nth))), many);
    expect(() => addDestination(many, wanted('another'))).toThrow('at most 10');
    expect(addDestination(after(removeDestination(many, '0'), many), wanted('another'))).toHaveLength(1);
  });

  it('change only where something is different, and then belong to the account that changed them', () => {
    const same = { values: { secret: sealed('s'), url: sealed('u') } };
    expect(changeDestination(one, 'd', 1, (before) => ({ ...before, ...same }))).toEqual([]);
    const events = changeDestination(one, 'd', 2, (before) => ({ ...before, name: 'Other' }));
    expect(events).toMatchObject([{ type: 'DestinationChanged', data: { name: 'Other', by: 2, values: { secret: sealed('s') } } }]);
    expect(after(events, one).get('d')).toMatchObject({ name: 'Other', by: 2, isPaused: false });
  });

  it('are paused once, and resumed also where they are not paused, for what is parked', () => {
    const paused = after(pauseDestination(one, 'd', 'receiver gone'), one);
    expect(pauseDestination(paused, 'd', 'requested')).toEqual([]);
    const resumed = after(resumeDestination(paused, 'd', 2), paused);
    expect(resumed.get('d')).toMatchObject({ isPaused: false, by: 2 });
    expect(resumeDestination(resumed, 'd', 2)).toHaveLength(1);
  });

  it('that do not exist are refused', () => {
    const replay = { destinationId: 'x', after: 0, scope: null, by: 1 };
    for (const decide of [
      () => changeDestination(one, 'x', 1, (before) => before),
      () => pauseDestination(one, 'x', 'requested'),
      () => resumeDestination(one, 'x', 1),
      () => replayDestination(one, replay),
      () => removeDestination(one, 'x'),
    ])
      expect(decide).toThrow('not found');
  });
});
