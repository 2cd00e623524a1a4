import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventBody } from '../../kernel/event.ts';
import { changeNotifications, NotAMember, type PreferenceEvent, type Preferences, preferences } from './preferences.ts';
import { notificationChannels, type NotificationSettings, severities } from './settings.ts';

const given = (...events: readonly EventBody[]): Preferences =>
  events.reduce((state, event) => preferences.evolve(state, event as PreferenceEvent), preferences.initial);
const created = { type: 'ProjectCreated', data: { payerId: 1 } };
const wanted: fc.Arbitrary<Partial<NotificationSettings>> = fc.record(
  { severity: fc.constantFrom(...severities), ...Object.fromEntries(notificationChannels.map((channel) => [channel, fc.boolean()])) },
  { requiredKeys: [] },
);

describe('what a user wants to hear of a project', () => {
  it('begins with errors by e-mail alone, and tells each change', () => {
    expect(changeNotifications(given(created), 1, { severity: 3, email: true, slack: true })).toEqual([
      { type: 'NotificationSeverityChanged', data: { userId: 1, from: 1, to: 3 } },
      { type: 'NotificationChannelSwitched', data: { userId: 1, channel: 'slack', from: false, to: true } },
    ]);
  });

  it('decides nothing when it is asked for again', () => {
    fc.assert(
      fc.property(wanted, (change) => {
        const first = changeNotifications(given(created), 1, change);
        expect(changeNotifications(given(created, ...first), 1, change)).toEqual([]);
      }),
    );
  });

  it('is the users own: who left has none, who comes back begins again', () => {
    const joined = { type: 'MemberAdded', data: { userId: 2, role: '6' } };
    const left = { type: 'MemberRemoved', data: { userId: 2 } };
    const slack = { type: 'NotificationChannelSwitched', data: { userId: 2, channel: 'slack', from: false, to: true } };
    expect(() => changeNotifications(given(created, joined, slack, left), 2, {})).toThrow(NotAMember);
    expect(given(created, joined, slack, left, joined).get(2)).toBeNull();
  });

  it('stays what it was through a transfer of the project', () => {
    const transferred = { type: 'ProjectTransferred', data: { from: 1, to: 2 } };
    expect([...given(created, transferred).keys()]).toEqual([1, 2]);
  });
});
