import { expect, it } from '@jest/globals';
import { QueueFull } from '../../kernel/concurrency-limit.ts';
import { AtOnce } from './at-once.ts';

it('holds ten thousand sites that all become slow at once to its bound, turns the others away, and forgets none that wait', async () => {
  const atOnce = new AtOnce(100, { longest: 2_000 });
  const answers: (() => void)[] = [];
  let began = 0;
  const asked = Array.from({ length: 10_000 }, () =>
    atOnce.run(() => {
      began++;
      return new Promise<void>((answer) => answers.push(answer));
    }),
  );
  const ended = Promise.allSettled(asked);
  await Promise.resolve();
  expect([began, atOnce.queued, atOnce.putOff]).toEqual([100, 2_000, 7_900]);
  while (began < 2_100) {
    for (const answer of answers.splice(0)) answer();
    await new Promise((turn) => setImmediate(turn));
  }
  for (const answer of answers.splice(0)) answer();
  const outcomes = (await ended).map((one) => (one.status === 'rejected' ? one.reason : 'looked'));
  expect(outcomes.filter((one) => one === 'looked')).toHaveLength(2_100);
  expect(outcomes.filter((one) => one instanceof QueueFull)).toHaveLength(7_900);
  expect(atOnce.queued).toBe(0);
  await expect(atOnce.run(() => Promise.resolve('at once'))).resolves.toBe('at once');
});

it('says for how long the first has waited', async () => {
  let now = 0;
  const atOnce = new AtOnce(1, { longest: 1, steady: () => now });
  let answer: () => void = () => undefined;
  const first = atOnce.run(() => new Promise<void>((resolve) => (answer = resolve)));
  const second = atOnce.run(() => Promise.resolve());
  now = 700;
  expect(atOnce.queuedMs).toBe(700);
  answer();
  await Promise.all([first, second]);
  expect(atOnce.queuedMs).toBe(0);
});
