import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordRun, skipRun } from './verdict.decider.ts';
import { type AcceptedRun, noRecentRuns, observeRun, type RecentRuns } from './recent-runs.ts';
import { verdict, type Verdict, type VerdictEvent } from './verdict.state.ts';
import type { Failing } from './verdict.events.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const error: Failing = { status: 'error', rules: ['own:0'], failures: ['expected status 200, got 500'] };
const timeout: Failing = { status: 'timeout', rules: ['fetch'], failures: ['no answer within 3 s'] };
const run = (second: number, failing: Failing | null): AcceptedRun => {
  const at = START + second * 1000;
  const evidence = {
    runId: 'r',
    url: 'https://example.com/',
    at: new Date(at).toISOString(),
    location: 'eu',
    httpStatus: 200,
    milliseconds: 12,
    page: null,
  };
  return { at, failing, evidence };
};
const origin = { projectId: 'p', checkId: 'c', confirming: false, chained: false };

interface Story {
  /** The types of what the runs lead to, run by run, without the roots. */
  readonly recorded: readonly (readonly string[])[];
  readonly events: readonly VerdictEvent[];
  readonly unconfirmed: ReadonlySet<number>;
  readonly state: Verdict;
}

function story(...runs: readonly AcceptedRun[]): Story {
  let state = verdict.initial;
  let recent: RecentRuns = noRecentRuns;
  const unconfirmed = new Set<number>();
  const events = runs.map((each) => {
    const decided = recordRun(state, recent, each, origin).events.filter(({ type }) => type !== 'RunStarted');
    recent = observeRun(recent, each);
    for (const at of recent.unconfirmed) unconfirmed.add(at);
    state = decided.reduce(verdict.evolve, state);
    return decided;
  });
  return { recorded: events.map((each) => each.map(({ type }) => type)), events: events.flat(), unconfirmed, state };
}

describe('the verdict on a check', () => {
  it('counts a failure only when a second run, seconds later, confirms it, and from the first one on', () => {
    const { recorded, state } = story(run(0, null), run(300, error), run(320, error), run(600, error));
    expect(recorded).toEqual([['CheckPassed'], ['CheckSuspected'], ['CheckFailed'], []]);
    expect(state.standing).toMatchObject({ kind: 'failing', since: '2026-01-01T00:05:00.000Z' });
  });

  it('keeps the verdict of a check that is not run for want of a value, until it runs again', () => {
    const missing = { name: 'token', from: 'login', reason: 'not run: step "Sign in" gave no `token`' };
    const { state } = story(run(0, null));
    const [event, ...others] = skipRun(state, 'c', '2026-01-01T00:05:00.000Z', missing);
    if (event === undefined) throw new Error('expected an event');
    expect([event.type, others]).toEqual(['CheckSkipped', []]);
    const skipped = verdict.evolve(state, event);
    expect([skipped.standing, skipRun(skipped, 'c', '2026-01-01T00:10:00.000Z', missing)]).toEqual([state.standing, []]);
    expect(skipRun(skipped, 'c', '2026-01-01T00:10:00.000Z', { ...missing, name: 'id' })).toHaveLength(1);
    const resumed = recordRun(skipped, noRecentRuns, run(900, error), origin).events;
    expect(resumed.map(({ type }) => type)).toEqual(['RunStarted', 'CheckResumed', 'CheckSuspected']);
    expect(resumed.reduce(verdict.evolve, skipped).skipped).toBeNull();
  });

  it('keeps what nothing confirmed', () => {
    expect(story(run(0, null), run(300, error), run(320, null)).recorded).toEqual([
      ['CheckPassed'],
      ['CheckSuspected'],
      ['CheckSuspicionCleared'],
    ]);
  });

  it('does not take a second press of start in the same moment for a confirmation', () => {
    expect(story(run(0, null), run(300, error), run(301, error), run(315, error)).recorded).toEqual([
      ['CheckPassed'],
      ['CheckSuspected'],
      [],
      ['CheckFailed'],
    ]);
  });

  it('has an unconfirmed failure checked again, as while the check was switched off', () => {
    const { events } = story(run(0, null), run(300, error), run(300_000, error), run(300_020, error));
    expect(events.map(({ type }) => type)).toEqual(['CheckPassed', 'CheckSuspected', 'CheckFailed']);
    expect(events[2]).toMatchObject({ data: { since: run(300_000, error).evidence.at } });
  });

  it('takes the first failure of a new check at once, as unconfirmed', () => {
    expect(recordRun(verdict.initial, noRecentRuns, run(0, error), origin).events).toMatchObject([
      { type: 'RunStarted' },
      { type: 'CheckFailed', data: { confirmed: false } },
    ]);
  });

  it('says when another set of rules fails, not when only the words differ', () => {
    const otherWords = { ...error, failures: ['expected status 200, got 503'] };
    expect(story(run(0, error), run(300, otherWords), run(600, timeout), run(900, null)).recorded).toEqual([
      ['CheckFailed'],
      [],
      ['CheckFailureChanged'],
      ['CheckRecovered'],
    ]);
  });

  it('counts instead of lists when a check flaps, and lists again once it is calm', () => {
    const flapping = Array.from({ length: 9 }, (_, index) => [run(300 * index + 100, error), run(300 * index + 120, null)]).flat();
    const calm = Array.from({ length: 30 }, (_, index) => run(3_000 + 300 * index, null));
    const { recorded, state } = story(run(0, null), ...flapping, ...calm);
    const types = recorded.flat();
    expect(types.filter((type) => type === 'CheckSuspected')).toHaveLength(7);
    expect(types.filter((type) => type === 'CheckInstabilityOpened')).toHaveLength(1);
    expect(types.at(-1)).toBe('CheckInstabilityClosed');
    expect(state.instability).toBeNull();
  });

  it('takes no run of a failure that was confirmed for one that was not', () => {
    const outages = Array.from({ length: 8 }, (_, index) => [
      run(400 * index, null),
      ...[100, 120, 300].map((second) => run(400 * index + second, error)),
    ]);
    const types = story(...outages.flat()).recorded.flat();
    expect(types.filter((type) => type === 'CheckFailed')).toHaveLength(8);
    expect(types).not.toContain('CheckInstabilityOpened');
  });

  it('lists or counts every failure that nothing confirmed', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom(null, null, error)), { maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(steps, (given) => {
        let second = 0;
        const runs = given.map(([gap, failing]) => run((second += gap), failing));
        const calm = Array.from({ length: 20 }, (_, index) => run(second + 1_000 * (index + 1), null));
        const { events, unconfirmed } = story(run(0, null), ...runs, ...calm);
        const listed = events.filter(({ type }) => type === 'CheckSuspicionCleared').length;
        const counted = events.reduce((sum, event) => (event.type === 'CheckInstabilityClosed' ? sum + event.data.unconfirmed : sum), 0);
        expect(listed + counted).toBe(unconfirmed.size);
      }),
      { numRuns: 200 },
    );
  });

  it('begins no chain of its own for a run that belongs to one', () => {
    expect(recordRun(verdict.initial, noRecentRuns, run(0, null), { ...origin, chained: true }).events.map(({ type }) => type)).toEqual([
      'CheckPassed',
    ]);
  });
});
