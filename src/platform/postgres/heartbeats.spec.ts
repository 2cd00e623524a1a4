import { expect, it } from '@jest/globals';
import { Heartbeats } from './heartbeats.ts';

it('measures how long a heartbeat value has been unchanged since it was first observed', () => {
  let now = 1_000;
  const heartbeats = new Heartbeats(() => now);
  expect(heartbeats.observe('other', 'one')).toBe(0);
  now += 6;
  expect(heartbeats.observe('other', 'one')).toBe(6);
  expect(heartbeats.staleValue('other', 7)).toBeNull();
  now += 1;
  expect(heartbeats.staleValue('other', 7)).toBe('one');
  expect(heartbeats.observe('other', 'two')).toBe(0);
  expect(heartbeats.staleValue('other', 7)).toBeNull();
  now += 7;
  heartbeats.forget('other');
  expect(heartbeats.staleValue('other', 7)).toBeNull();
});
