import { beforeEach, describe, expect, it } from '@jest/globals';
import { Admission } from './admission.ts';
import type { Turn, TurnKind } from './turn.ts';

const STEP_MS = 20;

let now: number;
let lag: number;
let delayMs: number;
let utilizationOf: () => number;
let utilization: number;
let admission: Admission;
let accounts: Record<string, number>;
let checks: number;
beforeEach(() => {
  [now, lag, delayMs, utilization, accounts, checks] = [0, 0, 0, 1, {}, 1];
  utilizationOf = () => utilization;
  admission = new Admission({
    gate: { isOpen: () => lag <= 2, lag: () => lag },
    monotonicNow: () => now,
    utilization: () => utilizationOf(),
    accountOf: (projectId) => accounts[projectId],
    checksOf: () => checks,
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
    const started = admission.take();
    for (const { kind } of started) admission.ended(kind);
    taken.push(...started);
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

  it('starts a thousand turns within five seconds of idle time, after other work has strained the process again and again', () => {
    add('uptime', 5_000);
    for (let strain = 0; strain < 5; strain++) {
      [delayMs, utilization] = [400, 1];
      pass(2);
      [delayMs, utilization] = [0, 0.9];
      pass(0.5);
    }
    utilization = 0.1;
    expect(pass(5).length).toBeGreaterThan(1_000);
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

  it('starts probes that take as much of the processor as the groups of checks that start beside them', () => {
    checks = 5;
    add('area', 100);
    add('uptime', 1_000);
    const kinds = pass(0.1).map(({ kind }) => kind);
    expect(kinds.slice(0, 34)).toEqual([
      'area',
      ...Array.from({ length: 15 }, () => 'uptime'),
      'area',
      ...Array.from({ length: 15 }, () => 'uptime'),
      'area',
      'uptime',
    ]);
    expect(pass(1)).toHaveLength(1_100 - kinds.length);
  });

  it('owes probes nothing for decisions that were made while none waited', () => {
    checks = 100;
    add('area', 30);
    expect(pass(0.1)).toHaveLength(30);
    add('uptime', 20);
    add('area', 1, 'later');
    expect(pass(0.02)[0]).toMatchObject({ kind: 'area' });
  });

  it('starts looks and made-up runs after what is due, and one of 200 while that lasts', () => {
    add('homepage', 10);
    add('again', 10);
    add('uptime', 1_000);
    add('area', 100);
    const taken = pass(0.6).map(({ kind }) => kind);
    const isLook = (kind: TurnKind): boolean => kind === 'homepage' || kind === 'again';
    expect(taken).toHaveLength(1_120);
    expect(taken.flatMap((kind, index) => (isLook(kind) ? [index] : [])).slice(0, 6)).toEqual([0, 201, 402, 603, 804, 1_005]);
    expect(taken.slice(-14).every(isLook)).toBe(true);
  });

  it('calls no check late because looks wait', () => {
    pass(1);
    delayMs = 400;
    pass(1);
    add('homepage', 10);
    add('uptime', 1_000);
    pass(70);
    const { queues } = admission.figures;
    expect(queues['due checks']).toMatchObject({ queued: 9, queuedMs: 0, lateAccounts: 0 });
    expect(queues['due probes'].queuedMs).toBeGreaterThan(60_000);
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
      const turns = admission.take();
      const started = turns.length;
      done += started;
      for (const { kind } of turns) admission.ended(kind);
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

  it('makes nine tenths of what the processor can do while more is due, although a turn takes many steps and garbage is collected', () => {
    // 800 a second are due, 500 can be done but for the pauses.
    const { ended, delays } = eventLoop({ seconds: 60, dueASecond: 800, stepMs: () => 0.2, pauseMs: 300 });
    const most = (60 * 500 * PAUSE_EVERY_MS) / (PAUSE_EVERY_MS + 300);
    expect(ended.uptime + ended.area).toBeGreaterThan(0.9 * most);
    // A check costs as much as three probes, and each kind may have half.
    expect(ended.area / ended.uptime).toBeCloseTo(1 / 3, 2);
    expect(Math.max(...delays.map(({ delayMs }) => delayMs))).toBeLessThan(600);
  });

  it('has few late timers two seconds after the processor became ten times slower, and makes all that is due again half a minute after that', () => {
    const stepMs = (): number => (now > 20_000 && now < 60_000 ? 2 : 0.2);
    const { ended, added, delays } = eventLoop({ seconds: 120, dueASecond: 250, stepMs, pauseMs: 0 });
    const slow = delays.filter(({ at }) => at > 22_000 && at < 60_000);
    expect(slow.filter(({ delayMs }) => delayMs > 75).length).toBeLessThan(0.15 * slow.length);
    expect(ended.uptime + ended.area).toBeGreaterThan(added - 100);
  });
});

const PAUSE_EVERY_MS = 4_000;
const ANSWER_MS = 5;
const STEPS = 10;

interface Loop {
  readonly seconds: number;
  readonly dueASecond: number;
  /** The processor time of each step of a turn, which waits for an answer between two steps. */
  readonly stepMs: () => number;
  readonly pauseMs: number;
}

/** A checker on an event loop whose processor is the bottleneck: turns that have started take their steps whatever is admitted. A quarter of the turns are runs. */
function eventLoop({ seconds, dueASecond, stepMs, pauseMs }: Loop) {
  const underWay: { kind: 'uptime' | 'area'; left: number; readyAt: number }[] = [];
  const ended = { uptime: 0, area: 0 };
  const delays: { at: number; delayMs: number }[] = [];
  let [added, worked, measuredAt, workedBefore, nextRound, nextPause] = [0, 0, 0, 0, 0, pauseMs > 0 ? PAUSE_EVERY_MS : Infinity];
  const work = (milliseconds: number): void => {
    now += milliseconds;
    worked += milliseconds;
  };
  utilizationOf = () => {
    const share = (worked - workedBefore) / Math.max(1, now - measuredAt);
    [workedBefore, measuredAt] = [worked, now];
    return share;
  };
  while (now < seconds * 1_000) {
    for (; added < (now * dueASecond) / 1_000; added++) admission.add(turn(added % 4 === 0 ? 'area' : 'uptime', String(added)));
    if (now >= nextRound) {
      delays.push({ at: now, delayMs: now - nextRound });
      admission.observeDelay(now - nextRound);
      nextRound = now + STEP_MS;
      for (const { kind } of admission.take()) underWay.push({ kind: kind === 'area' ? kind : 'uptime', left: STEPS, readyAt: now });
    }
    if (now >= nextPause) {
      work(pauseMs);
      nextPause = now + PAUSE_EVERY_MS;
    }
    const ready = underWay.filter(({ readyAt }) => readyAt <= now);
    for (const one of ready) {
      work(stepMs());
      one.left--;
      one.readyAt = now + ANSWER_MS;
      if (one.left > 0) continue;
      underWay.splice(underWay.indexOf(one), 1);
      ended[one.kind]++;
      admission.ended(one.kind);
    }
    if (ready.length === 0) now = Math.min(nextRound, ...underWay.map(({ readyAt }) => readyAt));
  }
  return { ended, added, delays };
}
