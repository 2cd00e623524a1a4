import { describe, expect, it } from '@jest/globals';
import { bar, Progress } from './progress.ts';

function start(isTTY: boolean) {
  const target = { isTTY, text: '', write: (text: string) => (target.text += text) };
  const clock = { now: 0 };
  return { target, clock, progress: new Progress('replay', target, () => clock.now) };
}

describe('progress', () => {
  it('writes a line every ten seconds without a terminal', () => {
    const { target, clock, progress } = start(false);
    for (; clock.now <= 25_000; clock.now += 500) progress.report(clock.now / 10, 5_000);
    progress.end();
    expect(target.text).toBe('replay 1000 of 5000 events, 100/s, 40 s left\nreplay 2000 of 5000 events, 100/s, 30 s left\n');
  });

  it('redraws a bar on a terminal ten times a second, and removes it at the end', () => {
    const { target, clock, progress } = start(true);
    for (; clock.now < 300; clock.now += 10) progress.report(clock.now, 300);
    progress.end();
    const drawn = target.text.split('\r\u001b[K').slice(1);
    expect(drawn).toHaveLength(4);
    expect(drawn[1]).toBe(`replay ${bar(1, 3)} 100 of 300 events, 1000/s, 1 s left`);
    expect(drawn.at(-1)).toBe('');
  });

  it.each([
    [0, 10, 0],
    [5, 10, 15],
    [12, 10, 30],
    [0, 0, 30],
  ])('fills the bar for %d of %d with %d cells', (done, total, cells) => {
    expect(bar(done, total)).toBe(`[${'#'.repeat(cells)}${'-'.repeat(30 - cells)}]`);
  });
});
