import { expect, it } from '@jest/globals';
import { alertsSentence } from './sentence.ts';

const event = (type: string, recordedAt = '2026-11-26T13:58:21.000Z') => ({ type, recordedAt, summary: '' });
const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);
const words = (...types: readonly string[]): string =>
  alertsSentence(
    types.map((type) => event(type)),
    clock,
  ).words;

it('says whether people know of a failure', () => {
  expect(words('CheckFailed')).toBe('No alert was sent.');
  expect(words('NotificationRequested', 'NotificationRequested', 'NotificationDelivered')).toBe(
    '1 alert delivered by 13:58:21, 1 alert under way.',
  );
  expect(words('NotificationRequested', 'NotificationGivenUp')).toBe('1 alert given up.');
});

it('is a problem where every alert was given up', () => {
  expect(alertsSentence([event('NotificationRequested'), event('NotificationGivenUp')], clock).isProblem).toBe(true);
  expect(alertsSentence([event('NotificationRequested'), event('NotificationDelivered')], clock).isProblem).toBe(false);
});
