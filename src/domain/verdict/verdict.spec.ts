import { describe, expect, it } from '@jest/globals';
import { recordRun } from './decisions.ts';
import { type AcceptedRun, noRecentRuns, observeRun, type RecentRuns } from './recent-runs.ts';
import { verdict, type Verdict } from './verdict.ts';
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

/** The types of what a series of runs leads to, run by run, without the roots. */
function story(...runs: readonly AcceptedRun[]): { readonly told: readonly (readonly string[])[]; readonly state: Verdict } {
  let state = verdict.initial;
  let recent: RecentRuns = noRecentRuns;
  const told = runs.map((each) => {
    const events = recordRun(state, recent, each, origin);
    recent = observeRun(recent, each);
    state = events.reduce(verdict.evolve, state);
    return events.map(({ type }) => type).filter((type) => type !== 'RunStarted');
  });
  return { told, state };
}

describe('the verdict on a check', () => {
  it('counts a failure only when a second run, seconds later, confirms it, and from the first one on', () => {
    const { told, state } = story(run(0, null), run(300, error), run(320, error), run(600, error));
    expect(told).toEqual([['CheckPassed'], ['CheckSuspected'], ['CheckFailed'], []]);
    expect(state.standing).toMatchObject({ kind: 'failing', since: '2026-01-01T00:05:00.000Z' });
  });

  it('keeps what nothing confirmed', () => {
    expect(story(run(0, null), run(300, error), run(320, null)).told).toEqual([
      ['CheckPassed'],
      ['CheckSuspected'],
      ['CheckSuspicionCleared'],
    ]);
  });

  it('does not take a second press of start in the same moment for a confirmation', () => {
    expect(story(run(0, null), run(300, error), run(301, error), run(315, error)).told).toEqual([
      ['CheckPassed'],
      ['CheckSuspected'],
      [],
      ['CheckFailed'],
    ]);
  });

  it('takes the first failure of a new check at once, as unconfirmed', () => {
    expect(recordRun(verdict.initial, noRecentRuns, run(0, error), origin)).toMatchObject([
      { type: 'RunStarted' },
      { type: 'CheckFailed', data: { confirmed: false } },
    ]);
  });

  it('says when another set of rules fails, not when only the words differ', () => {
    const otherWords = { ...error, failures: ['expected status 200, got 503'] };
    expect(story(run(0, error), run(300, otherWords), run(600, timeout), run(900, null)).told).toEqual([
      ['CheckFailed'],
      [],
      ['CheckFailureChanged'],
      ['CheckRecovered'],
    ]);
  });

  it('counts instead of lists when a check flaps, and lists again once it is calm', () => {
    const flapping = Array.from({ length: 9 }, (_, index) => [run(300 * index + 100, error), run(300 * index + 120, null)]).flat();
    const calm = Array.from({ length: 30 }, (_, index) => run(3_000 + 300 * index, null));
    const { told, state } = story(run(0, null), ...flapping, ...calm);
    const types = told.flat();
    expect(types.filter((type) => type === 'CheckSuspected')).toHaveLength(7);
    expect(types.filter((type) => type === 'CheckInstabilityOpened')).toHaveLength(1);
    expect(types.at(-1)).toBe('CheckInstabilityClosed');
    expect(state.instability).toBeNull();
  });

  it('begins no chain of its own for a run that belongs to one', () => {
    expect(recordRun(verdict.initial, noRecentRuns, run(0, null), { ...origin, chained: true }).map(({ type }) => type)).toEqual([
      'CheckPassed',
    ]);
  });
});
