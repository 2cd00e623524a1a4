import { beforeEach, describe, expect, it } from '@jest/globals';
import { Admission } from './admission.ts';
import type { Turn, TurnKind } from './turn.ts';

const STEP_MS = 20;

let now: number;
let lag: number;
let delayMs: number;
let utilization: number;
let admission: Admission;
let accounts: Record<string, number>;
beforeEach(() => {
  [now, lag, delayMs, utilization, accounts] = [0, 0, 0, 1, {}];
  admission = new Admission({
    gate: { isOpen: () => lag <= 2, lag: () => lag },
    monotonicNow: () => now,
    utilization: () => utilization,
    accountOf: (projectId) => accounts[projectId],
  });
});

const turn = (kind: TurnKind, projectId: string): Turn => ({ kind, projectId, subjectId: null, due: 0 });
const add = (kind: TurnKind, count: number, prefix = kind as string): void => {
  for (let index = 0; index < count; index++) admission.add(turn(kind, `${prefix}${String(index)}`));
};

/** Rounds of the checker for some seconds. */
function pass(seconds: number): Turn[] {
  const taken: Turn[] = [];
  for (const until = now + seconds * 1_000; now < until; now += STEP_MS) {
    admission.observeDelay(delayMs);
    taken.push(...admission.take());
  }
  return taken;
}

describe('admission', () => {
  it('starts what is due at once, some of a kind in each round', () => {
    add('area', 125);
    expect([1, 2, 3, 4].map(() => admission.take().length)).toEqual([50, 50, 25, 0]);
    expect(admission.figures.isOverloaded).toBe(false);
  });

  it('begins nothing that ends in a decision while the gate is closed, and still probes', () => {
    lag = 3;
    add('area', 10);
    add('homepage', 10);
    add('uptime', 10);
    expect(pass(1).map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => 'uptime'));
    expect(admission.figures).toMatchObject({ isOverloaded: true, queues: { 'due checks': { queued: 20 }, 'due probes': { queued: 0 } } });
    lag = 0;
    expect(pass(10)).toHaveLength(20);
    expect(admission.figures.isOverloaded).toBe(false);
  });

  it('slows down while timers are late, never stops, and catches up within half a minute once they are punctual', () => {
    pass(1);
    delayMs = 400;
    pass(1);
    add('uptime', 5_000);
    const strained = pass(30).length;
    // The rate is halved down to one a second.
    expect(strained).toBeGreaterThan(25);
    expect(strained).toBeLessThan(100);
    delayMs = 0;
    expect(pass(30).length + strained).toBe(5_000);
  });

  it('admits work while timers are late but the event loop has idle time: other processes have the processor', () => {
    utilization = 0.3;
    delayMs = 400;
    pass(1);
    add('uptime', 1_000);
    expect(pass(1)).toHaveLength(1_000);
  });

  it('slows decisions, not probes, while the read models lag', () => {
    add('area', 200);
    pass(1);
    lag = 1.5;
    add('area', 500, 'again');
    add('uptime', 500);
    const taken = pass(5);
    expect(taken.filter(({ kind }) => kind === 'uptime')).toHaveLength(500);
    expect(taken.filter(({ kind }) => kind === 'area').length).toBeLessThan(300);
  });

  it('makes a turn once that is due again while it waits, and counts it', () => {
    lag = 3;
    add('area', 5);
    add('area', 5);
    expect(admission.figures.queues['due checks']).toMatchObject({ queued: 5, refused: 5 });
    lag = 0;
    expect(pass(10)).toHaveLength(5);
  });

  it('lets accounts take turns, and counts those whose work is late', () => {
    lag = 3;
    for (let index = 0; index < 300; index++) accounts[`greedy${String(index)}`] = 1;
    accounts['small0'] = 2;
    add('area', 300, 'greedy');
    add('area', 1, 'small');
    now = 61_000;
    expect(admission.figures.queues['due checks']).toMatchObject({ lateAccounts: 2, queuedMs: 61_000 });
    lag = 0;
    expect(
      pass(1)
        .slice(0, 2)
        .map(({ projectId }) => projectId),
    ).toEqual(['greedy0', 'small0']);
  });

  it('keeps timers punctual on a processor that is ten times too slow, and leaves it no idle minute', () => {
    const costMs = 10;
    const delays: number[] = [];
    add('uptime', 5_000);
    let done = 0;
    for (; now < 100_000 && done < 5_000;) {
      const started = admission.take().length;
      done += started;
      // The event loop is blocked meanwhile.
      const delay = Math.max(0, started * costMs - STEP_MS);
      now += STEP_MS + delay;
      delays.push(delay);
      admission.observeDelay(delay);
    }
    expect(done).toBe(5_000);
    // Fifty seconds of work.
    expect(now).toBeLessThan(80_000);
    expect(Math.max(...delays)).toBeLessThan(600);
    expect(delays.reduce((sum, one) => sum + one, 0) / delays.length).toBeLessThan(150);
  });
});
