import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordProbes } from './uptime.decider.ts';
import { classify, type ProbeOutcome } from '../../platform/observations/samples/probe-outcome.ts';
import { type AcceptedProbe, noRecentProbes, observe } from './recent-probes.ts';
import { confirmationDelay } from '../../platform/observations/samples/sample.ts';
import { type Uptime, uptime, type UptimeEvent } from './uptime.state.ts';

const START = Date.UTC(2026, 0, 1);
const PERIOD = 60;

const probeAt = (seconds: number, outcome: ProbeOutcome): AcceptedProbe => {
  const at = START + seconds * 1000;
  const evidence = {
    url: 'https://site.example',
    at: new Date(at).toISOString(),
    location: 'eu',
    outcome,
    httpStatus: outcome === 'up' ? 200 : null,
    reason: outcome === 'up' ? null : 'refused',
    milliseconds: 12,
  };
  return { at, outcome, periodSeconds: PERIOD, evidence };
};

/** What happened, one entry a probe, and where it ended. */
function watch(probes: readonly (readonly [number, ProbeOutcome])[]): {
  readonly events: UptimeEvent[][];
  readonly state: Uptime;
  readonly unconfirmed: ReadonlySet<number>;
} {
  const unconfirmed = new Set<number>();
  let state = uptime.initial;
  let recent = noRecentProbes;
  const events = probes.map(([seconds, outcome]) => {
    const probe = probeAt(seconds, outcome);
    const { events: decided, result } = recordProbes(state, recent, [probe], { projectId: 'p', confirming: false });
    state = decided.reduce(uptime.evolve, state);
    recent = result;
    for (const at of recent.unconfirmed) unconfirmed.add(at);
    return [...decided];
  });
  return { events, state, unconfirmed };
}

const types = (probes: readonly (readonly [number, ProbeOutcome])[]): string[] =>
  watch(probes).events.map((events) => events.map(({ type }) => type).join(' '));

describe('the verdict on a site', () => {
  it('begins with the first answer', () => {
    expect(
      types([
        [0, 'up'],
        [60, 'up'],
      ]),
    ).toEqual(['ProbeStarted UptimeBegan', '']);
  });

  it('goes down since the first failing probe, once the second confirms it', () => {
    const { events, state } = watch([
      [0, 'up'],
      [60, 'down'],
      [70, 'down'],
      [120, 'down'],
    ]);
    expect(events.map((of) => of.map(({ type }) => type).join(' '))).toEqual([
      'ProbeStarted UptimeBegan',
      'ProbeStarted UptimeSuspected',
      'ProbeStarted UptimeWentDown',
      '',
    ]);
    expect(state.standing).toEqual({ kind: 'down', since: '2026-01-01T00:01:00.000Z', outcome: 'down' });
    expect(events[2]?.[1]).toMatchObject({
      data: { before: 'up', first: { at: '2026-01-01T00:01:00.000Z' }, evidence: { at: '2026-01-01T00:01:10.000Z' } },
    });
  });

  it('says of a site that never answered that nothing was known before', () => {
    const { events } = watch([
      [0, 'timeout'],
      [10, 'timeout'],
    ]);
    expect(events[1]?.[1]).toMatchObject({ type: 'UptimeWentDown', data: { before: 'unknown', outcome: 'timeout' } });
  });

  it('counts an unconfirmed failure as up', () => {
    const { events, state } = watch([
      [0, 'up'],
      [60, 'down'],
      [70, 'up'],
    ]);
    expect(events[2]?.[1]).toMatchObject({
      type: 'UptimeSuspicionCleared',
      data: { because: 'answered', since: '2026-01-01T00:01:00.000Z' },
    });
    expect(state).toMatchObject({ standing: { kind: 'up' }, suspicion: null });
  });

  it('suspects anew after a gap, because the second failure says nothing about the first', () => {
    expect(
      types([
        [0, 'up'],
        [60, 'down'],
        [3600, 'down'],
        [3610, 'down'],
      ]),
    ).toEqual([
      'ProbeStarted UptimeBegan',
      'ProbeStarted UptimeSuspected',
      'ProbeStarted UptimeSuspicionCleared UptimeSuspected',
      'ProbeStarted UptimeWentDown',
    ]);
  });

  it('comes back with the first answer', () => {
    const { events } = watch([
      [0, 'up'],
      [60, 'down'],
      [70, 'down'],
      [120, 'up'],
    ]);
    expect(events[3]?.[1]).toMatchObject({
      type: 'UptimeWentUp',
      data: { downSince: '2026-01-01T00:01:00.000Z', since: '2026-01-01T00:02:00.000Z' },
    });
  });

  it('tells another way of being down only when two probes in a row saw it', () => {
    expect(
      types([
        [0, 'timeout'],
        [10, 'timeout'],
        [60, 'down'],
        [120, 'timeout'],
        [180, 'down'],
        [240, 'down'],
      ]).slice(2),
    ).toEqual(['', '', '', 'ProbeStarted UptimeFailureChanged']);
  });

  it('decides from the samples when the suspicion itself was never written', () => {
    const recent = observe(noRecentProbes, probeAt(60, 'down'));
    expect(
      recordProbes({ ...uptime.initial, standing: { kind: 'up' } }, recent, [probeAt(70, 'down')], { projectId: 'p', confirming: true })
        .events,
    ).toMatchObject([
      { type: 'ProbeStarted', data: { confirming: true } },
      { type: 'UptimeWentDown', data: { since: '2026-01-01T00:01:00.000Z' } },
    ]);
  });

  it('makes up, after a crash, exactly what was not decided yet', () => {
    const outcomes: ProbeOutcome[] = ['up', 'down', 'up', 'down', 'down', 'timeout', 'timeout', 'up', 'down', 'up'];
    const probes = outcomes.map((outcome, index) => probeAt(index * 60, outcome));
    const origin = { projectId: 'p', confirming: false };
    const whole = recordProbes(uptime.initial, noRecentProbes, probes, origin).events;
    for (let crash = 0; crash <= probes.length; crash++) {
      const before = recordProbes(uptime.initial, noRecentProbes, probes.slice(0, crash), origin).events;
      const after = recordProbes(before.reduce(uptime.evolve, uptime.initial), noRecentProbes, probes, origin, true).events;
      expect([...before, ...after]).toEqual(whole);
    }
  });

  it('continues the chain of the suspicion', () => {
    const { evidence } = probeAt(60, 'down');
    const meta = {
      actor: { kind: 'checker', id: 'c' },
      correlationId: 'root',
      causationId: 'root',
      commandId: 'c',
      occurredAt: '',
    } as const;
    const read = { type: 'UptimeSuspected', data: { since: evidence.at, outcome: 'down', evidence }, id: 'suspicion', meta } as const;
    expect(uptime.evolve(uptime.initial, read).suspicion?.chain).toEqual({ correlationId: 'root', causationId: 'suspicion' });
  });
});

describe('a site that flaps every probe', () => {
  const flapping = (hours: number): (readonly [number, ProbeOutcome])[] =>
    Array.from({ length: hours * 60 }, (_, index) => [index * 60, index % 2 === 1 ? 'down' : 'up'] as const);

  it('is listed six times an hour, then counted', () => {
    const { events, state } = watch(flapping(3));
    const happened = events.flat().map(({ type }) => type);
    expect(happened.filter((type) => type === 'UptimeSuspected')).toHaveLength(7);
    expect(happened.filter((type) => type === 'UptimeInstabilityOpened')).toHaveLength(1);
    expect(events.flat().filter(({ type }) => type === 'UptimeInstabilityCounted')).toMatchObject([
      { data: { unconfirmed: 30 } },
      { data: { unconfirmed: 30 } },
    ]);
    expect(state).toMatchObject({ standing: { kind: 'up' }, suspicion: null });
  });

  it('is listed again when it has calmed', () => {
    const calm = Array.from({ length: 180 }, (_, index) => [(180 + index) * 60, 'up'] as const);
    const { events, state } = watch([...flapping(3), ...calm, [360 * 60, 'down']]);
    expect(events.flat().filter(({ type }) => type === 'UptimeInstabilityClosed')).toHaveLength(1);
    expect(state).toMatchObject({ instability: null, suspicion: { outcome: 'down' } });
  });

  it('is not what a site is that really goes down ten times an hour', () => {
    const outages = Array.from({ length: 60 }, (_, minute) => [minute * 60, minute % 6 === 1 || minute % 6 === 2 ? 'down' : 'up'] as const);
    const happened = watch(outages).events.flat();
    expect(happened.filter(({ type }) => type === 'UptimeWentDown')).toHaveLength(10);
    expect(happened.filter(({ type }) => type === 'UptimeInstabilityOpened')).toHaveLength(0);
  });

  it('has every failure that nothing confirmed listed or counted', () => {
    const outcomes = fc.array(fc.tuple(fc.integer({ min: 1, max: 120 }), fc.constantFrom<ProbeOutcome>('up', 'up', 'down')), {
      maxLength: 300,
      size: 'max',
    });
    fc.assert(
      fc.property(outcomes, (steps) => {
        let seconds = 0;
        const probes = steps.map(([step, outcome]) => [(seconds += step), outcome] as const);
        const calm = Array.from({ length: 200 }, (_, index) => [seconds + 60 * (index + 1), 'up'] as const);
        const { events, unconfirmed } = watch([[0, 'up'], ...probes, ...calm]);
        const listed = events.flat().filter(({ type }) => type === 'UptimeSuspicionCleared').length;
        const counted = events.flat().reduce((sum, one) => (one.type === 'UptimeInstabilityClosed' ? sum + one.data.unconfirmed : sum), 0);
        expect(listed + counted).toBe(unconfirmed.size);
      }),
      { numRuns: 100 },
    );
  });

  it('goes down all the same when it really does', () => {
    const { state } = watch([...flapping(2), [7200, 'down']]);
    expect(state.standing).toEqual({ kind: 'down', since: '2026-01-01T01:59:00.000Z', outcome: 'down' });
  });
});

it('never writes more than seven suspicions an hour that nothing confirmed, and never two verdicts alike in a row', () => {
  const outcomes = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.constantFrom<ProbeOutcome>('up', 'up', 'down', 'timeout')), {
    maxLength: 400,
    size: 'max',
  });
  fc.assert(
    fc.property(outcomes, (steps) => {
      let seconds = 0;
      const { events } = watch(steps.map(([step, outcome]) => [(seconds += step), outcome]));
      const suspicions = events.flat().flatMap((event) => (event.type === 'UptimeSuspicionCleared' ? [Date.parse(event.data.since)] : []));
      suspicions.forEach((at, index) => {
        expect(suspicions.slice(index).filter((other) => other < at + 3600_000).length).toBeLessThanOrEqual(7);
      });
      const verdicts = events
        .flat()
        .filter(({ type }) => type === 'UptimeWentDown' || type === 'UptimeWentUp')
        .map(({ type }) => type);
      verdicts.forEach((type, index) => {
        expect(type).not.toBe(verdicts[index + 1]);
      });
    }),
    { numRuns: 60 },
  );
});

describe('an outcome', () => {
  it.each([
    [200, 'up'],
    [399, 'up'],
    [401, 'up'],
    [403, 'up'],
    [405, 'up'],
    [429, 'up'],
    [404, 'down'],
    [400, 'down'],
    [500, 'down'],
    [199, 'down'],
  ] as const)('of HTTP status %i is %s', (status, outcome) => {
    expect(classify({ kind: 'answered', status }).outcome).toBe(outcome);
  });

  it('without a whole answer is a timeout or down', () => {
    expect(classify({ kind: 'timedOut' })).toEqual({ outcome: 'timeout', httpStatus: null, reason: 'no whole answer in time' });
    expect(classify({ kind: 'failed', reason: 'connection refused' })).toEqual({
      outcome: 'down',
      httpStatus: null,
      reason: 'connection refused',
    });
  });
});

it('looks again after 10 s, sooner when probes come more often', () => {
  expect([15, 30, 60].map(confirmationDelay)).toEqual([5000, 10_000, 10_000]);
});
