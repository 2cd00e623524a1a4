import { describe, expect, it } from '@jest/globals';
import { samples } from '../../../test/samples/samples.ts';
import type { Events, EventType } from '../../events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { failuresIn, type OpenFailure } from './failures.ts';

const HOUR = 3_600_000;
const from = Date.parse('2026-03-09T00:00:00Z');
const span = { from, to: from + 7 * 24 * HOUR };
const iso = (hour: number): string => new Date(from + hour * HOUR).toISOString();
const sample = samples('a');

function event<Type extends EventType>(type: Type, hour: number, changes: Partial<Events[Type]>): LogEvent {
  const meta = {
    actor: { kind: 'checker', id: 'c' },
    correlationId: 'x',
    causationId: null,
    commandId: 'x',
    occurredAt: iso(hour),
  } as const;
  const place = { id: `${type} ${String(hour)}`, version: 1, scope: 'project-a', stream: 's', revision: 0, n: hour, recordedAt: iso(hour) };
  return { ...place, type, meta, data: { ...sample[type], ...changes } };
}
const fails = (hour: number, checkId = 'c') => event('CheckFailed', hour, { checkId, since: iso(hour) });
const recovers = (hour: number, failedSince: number, checkId = 'c') =>
  event('CheckRecovered', hour, { checkId, since: iso(hour), failedSince: iso(failedSince) });
const standing = (hour: number, checkId = 'c'): OpenFailure => ({
  subject: `check ${checkId}`,
  failure: { checkId, url: '/', reason: 'stands', since: from + hour * HOUR, until: null },
});

/** `c 1-3`: which check failed from which hour to which; open where the week ended before. */
const found = (events: readonly LogEvent[], today: readonly OpenFailure[] = []): readonly string[] =>
  failuresIn(events, today, span).map(({ checkId, since, until }) => {
    const hour = (instant: number | null): string => (instant === null ? '' : String((instant - from) / HOUR));
    return `${checkId ?? 'site'} ${hour(since)}-${hour(until)}`;
  });

describe('the failures of a week', () => {
  it('include those that began in it, longest first', () => {
    expect(found([fails(1), recovers(2, 1), fails(10, 'd'), recovers(14, 10, 'd')])).toEqual(['d 10-14', 'c 1-2']);
  });

  it('include those that ended in it and those that lasted throughout', () => {
    expect(found([recovers(2, -30)])).toEqual(['c -30-2']);
    expect(found([], [standing(-30)])).toEqual(['c -30-']);
  });

  it('exclude failures open today that began later or replaced one that ended in the week', () => {
    expect(found([], [standing(200)])).toEqual([]);
    expect(found([fails(1), recovers(2, 1)], [standing(200)])).toEqual(['c 1-2']);
    expect(found([fails(160)], [standing(160)])).toEqual(['c 160-']);
  });

  it('count a failure that changed once, from its start', () => {
    const change = event('CheckFailureChanged', 3, { checkId: 'c', since: iso(3) });
    expect(found([fails(1), change, recovers(5, 1)])).toEqual(['c 1-5']);
    expect(found([change, recovers(5, -40)])).toEqual(['c -40-5']);
    expect(found([change], [standing(3)])).toEqual(['c 3-']);
    expect(found([change], [standing(-40)])).toEqual(['c -40-']);
  });

  it('end when monitoring ends', () => {
    expect(found([fails(1), event('CheckSwitched', 4, { checkId: 'c', from: true, to: false })])).toEqual(['c 1-4']);
    expect(found([fails(1), event('CheckDeleted', 5, { checkId: 'c' })])).toEqual(['c 1-5']);
    expect(found([event('CheckDeleted', 5, { checkId: 'c' })])).toEqual([]);
  });

  it('include uptime failures of the site', () => {
    const down = event('UptimeWentDown', 1, { since: iso(1) });
    const up = event('UptimeWentUp', 2, { since: iso(2), downSince: iso(1) });
    expect(found([down, up])).toEqual(['site 1-2']);
    expect(failuresIn([down, up], [], span)[0]?.reason).not.toBe('down');
    expect(found([down, event('UptimePeriodChanged', 9, { from: '60', to: 'false' })])).toEqual(['site 1-9']);
  });
});
