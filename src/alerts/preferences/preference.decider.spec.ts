import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventBody } from '../../kernel/event.ts';
import { decide } from '../../../test/support/decide.ts';
import { changeNotifications, type PreferenceEvent, preferences } from './preference.decider.ts';
import { notificationChannels, type NotificationSettings, severities } from './preference.settings.ts';

// The stream holds the project's other events, too.
const given = (...events: readonly EventBody[]) => decide(preferences).given(...(events as readonly PreferenceEvent[]));
const created = { type: 'ProjectCreated', data: { payerId: 1 } };
const wanted: fc.Arbitrary<Partial<NotificationSettings>> = fc.record(
  { severity: fc.constantFrom(...severities), ...Object.fromEntries(notificationChannels.map((channel) => [channel, fc.boolean()])) },
  { requiredKeys: [] },
);

describe('the notification settings of a member', () => {
  it('begin with errors by e-mail alone, and record each change', () => {
    given(created)
      .when((state) => changeNotifications(state, 1, { severity: 3, email: true, slack: true }))
      .then(
        { type: 'NotificationSeverityChanged', data: { userId: 1, from: 1, to: 3 } },
        { type: 'NotificationChannelSwitched', data: { userId: 1, channel: 'slack', from: false, to: true } },
      );
  });

  it('stay the same when the same change is sent again', () => {
    fc.assert(
      fc.property(wanted, (change) => {
        const first = changeNotifications(given(created).state, 1, change);
        given(created, ...first)
          .when((state) => changeNotifications(state, 1, change))
          .then();
      }),
    );
  });

  it('end with the membership, and begin anew with the next one', () => {
    const joined = { type: 'MemberAdded', data: { userId: 2 } };
    const left = { type: 'MemberRemoved', data: { userId: 2 } };
    const slack = { type: 'NotificationChannelSwitched', data: { userId: 2, channel: 'slack', from: false, to: true } };
    given(created, joined, slack, left)
      .when((state) => changeNotifications(state, 2, {}))
      .thenRefused('NOT_A_MEMBER');
    expect(given(created, joined, slack, left, joined).state.get(2)).toBeNull();
  });

  it('outlast a transfer of the project', () => {
    const transferred = { type: 'ProjectTransferred', data: { from: 1, to: 2 } };
    expect([...given(created, transferred).state.keys()]).toEqual([1, 2]);
  });
});
