import { describe, expect, it } from '@jest/globals';
import { importedWithin } from './imported-uptime.presenter.ts';
import { importedUptime, importUptime, removeImportedUptime } from './imported-uptime.decider.ts';
import type { ImportedDays } from './imported-uptime.events.ts';

const NOW = Date.UTC(2026, 2, 3, 12);
const days: ImportedDays = { origin: 'imported:uptime-kuma', from: '2026-03-01', up: [9, 0, 4], down: [1, 0, 0] };
const none = importedUptime.initial;

describe('imported uptime', () => {
  it('replaces what was imported before, and the same again changes nothing', () => {
    const [event] = importUptime(none, days, NOW);
    expect(event).toEqual({ type: 'UptimeImported', data: days });
    const state = importedUptime.evolve(none, { type: 'UptimeImported', data: days });
    expect(importUptime(state, { ...days }, NOW)).toEqual([]);
    expect(importUptime(state, { ...days, down: [2, 0, 0] }, NOW)).toHaveLength(1);
  });

  it('is removed once', () => {
    const state = importedUptime.evolve(none, { type: 'UptimeImported', data: days });
    expect(removeImportedUptime(state)).toEqual([{ type: 'ImportedUptimeRemoved', data: { origin: 'imported:uptime-kuma' } }]);
    expect(removeImportedUptime(none)).toEqual([]);
  });

  it('refuses days that do not go together or lie in the future', () => {
    expect(() => importUptime(none, { ...days, down: [1] }, NOW)).toThrow('down: must have as many days as up');
    expect(() => importUptime(none, days, NOW - 86_400_000)).toThrow('must not lie in the future');
  });
});

describe('the imported share of a time', () => {
  const span = (from: string, to: string): { from: number; to: number } => ({ from: Date.parse(from), to: Date.parse(to) });

  it('sums up the days that begin within it and have samples', () => {
    expect(importedWithin(days, span('2026-02-01', '2026-04-01'))).toEqual({
      ...{ origin: 'imported:uptime-kuma', up: 13, samples: 14 },
      ...span('2026-03-01', '2026-03-04'),
    });
    expect(importedWithin(days, span('2026-03-01T01:00Z', '2026-03-04'))).toMatchObject({ up: 4, samples: 4 });
  });

  it('is nothing where there are none', () => {
    expect(importedWithin(days, span('2026-03-02', '2026-03-03'))).toBeNull();
    expect(importedWithin(days, span('2027-01-01', '2027-02-01'))).toBeNull();
  });
});
