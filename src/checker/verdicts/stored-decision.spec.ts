import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordRun } from './verdict.decider.ts';
import { type AcceptedRun, awaitsConfirmation, noRecentRuns, observeRun } from './recent-runs.ts';
import { verdict } from './verdict.state.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { type VerdictRow, verdictView } from './verdict.view.ts';
import { awaitsVerdict, decidingRun, withDecision } from './stored-decision.ts';

const FAILURES = {
  ok: null,
  broken: { status: 'error', rules: ['own status eq 0'], failures: ['expected status 200, got 500'] },
  moved: { status: 'error', rules: ['own title eq 0'], failures: ['expected the title to be "Shop"'] },
  slow: { status: 'timeout', rules: ['fetch'], failures: ['no answer within 3 s'] },
} as const;

const shown = (row: VerdictRow | null): unknown => row && [row.status, row.failing, row.since];

const steps = fc.array(
  fc.record({
    seconds: fc.constantFrom(1, 15, 300),
    outcome: fc.constantFrom(...(Object.keys(FAILURES) as (keyof typeof FAILURES)[])),
  }),
  { maxLength: 12 },
);

it('a run awaits its verdict exactly while its event would change what is shown of the check', () => {
  fc.assert(
    fc.property(steps, (runs) => {
      let [state, recent, row, at] = [verdict.initial, noRecentRuns, null as VerdictRow | null, Date.UTC(2026, 0, 1)];
      for (const { seconds, outcome } of runs) {
        at += seconds * 1000;
        const confirming = awaitsConfirmation(recent) && seconds === 15;
        const evidence = { runId: 'r', url: 'https://a.test/', at: new Date(at).toISOString(), location: 'eu' };
        const run: AcceptedRun = {
          at,
          failing: FAILURES[outcome],
          evidence: { ...evidence, httpStatus: 200, milliseconds: 1, page: null },
        };
        const whole = withDecision({}, { failing: run.failing, evidence: run.evidence, confirming, chain: null });
        const stored = decidingRun({ checkId: 'c', at, whole });
        if (stored === null) throw new Error('expected a decision');
        // A run of which the whole result is not kept any more.
        const packed = { at, outcome: run.failing?.status ?? 'ok', confirming, rules: null } as const;
        const { events } = recordRun(state, recent, run, { projectId: 'p', checkId: 'c', confirming, chained: false });
        state = events.reduce(verdict.evolve, state);
        recent = observeRun(recent, run);
        const before = row;
        for (const { type, data } of events) {
          const event = { type, data, version: 1, scope: 'project-p' } as unknown as LogEvent;
          if (verdictView.key(event) !== null) row = verdictView.evolve(row, event);
        }
        const isChanged = JSON.stringify(shown(row)) !== JSON.stringify(shown(before));
        // While it is unstable, its suspicions are not in the verdict.
        if (state.instability === null || confirming) expect(awaitsVerdict(stored, before ?? undefined)).toBe(isChanged);
        expect([stored, packed].map((one) => awaitsVerdict(one, row ?? undefined))).toEqual([false, false]);
        // A packed run does not tell another failure of the same status apart.
        if (before?.status !== run.failing?.status)
          expect(awaitsVerdict(packed, before ?? undefined)).toBe(awaitsVerdict(stored, before ?? undefined));
      }
    }),
  );
});

it('a run that was stored without its decision decides nothing', () => {
  expect(decidingRun({ checkId: 'c', at: 1, whole: { status: 'error' } })).toBeNull();
});
