import { beforeEach, describe, expect, it } from '@jest/globals';
import { OtherListeners } from './wake-postgres.ts';

let now: number;
let others: OtherListeners;
beforeEach(() => {
  now = 0;
  others = new OtherListeners({ askAfterMs: 60_000, answerMs: 10_000 }, () => now);
});

describe('the other listeners of the channel', () => {
  it('are assumed until a question had no answer in time', () => {
    expect(others.isAlone()).toBe(false);
    others.connected();
    now = 10_000;
    expect(others.isAlone()).toBe(false);
    now = 10_001;
    expect(others.isAlone()).toBe(true);
  });

  it('are there from the moment at which one asks, which is answered', () => {
    const question = others.connected();
    now = 20_000;
    expect(others.isAlone()).toBe(true);
    expect(others.heard(question)).toMatchObject({ isAnswer: false, topic: null });
    expect(others.isAlone()).toBe(false);
  });

  it('answer a new listener, which then has missed what rang before', () => {
    const other = new OtherListeners();
    const { answer } = others.heard(other.connected());
    expect(other.heard(answer ?? '')).toEqual({ answer: null, isAnswer: true, topic: null });
    expect(other.isAlone()).toBe(false);
  });

  it('are asked again once none was heard for a minute', () => {
    others.heard('log');
    now = 59_999;
    expect(others.question()).toBeNull();
    now = 60_000;
    const question = others.question();
    expect([question, others.question()]).toEqual([others.connected(), null]);
    now = 71_000;
    expect(others.isAlone()).toBe(true);
  });

  it('are unknown again after a new connection', () => {
    others.connected();
    now = 20_000;
    expect(others.isAlone()).toBe(true);
    others.connected();
    expect(others.isAlone()).toBe(false);
  });

  it('ring what they send', () => {
    expect(others.heard('views')).toEqual({ answer: null, isAnswer: false, topic: 'views' });
  });
});
