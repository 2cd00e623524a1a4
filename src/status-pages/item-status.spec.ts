import { describe, expect, it } from '@jest/globals';
import { AT, itemOf, upBut } from '../../test/support/status-page-model.ts';
import { firstFailingBefore, worstOf } from './item-status.ts';
import { SHOWN_DAY, SHOWN_DAYS, SILENT_AFTER, firstDayAt } from '../watches/uptime/shown-state.ts';

const FROM = firstDayAt(AT);

describe('the status of an item', () => {
  it('has 90 days, and time without measurements is unknown, neither well nor failing', () => {
    const item = itemOf('API', { known: [{ from: FROM + SHOWN_DAY, to: AT, state: 'up' }] });
    expect(item.days).toHaveLength(SHOWN_DAYS);
    expect(item.days[0]).toMatchObject({ upMs: 0, downMs: 0, unknownMs: SHOWN_DAY });
    expect(item.days[1]).toMatchObject({ upMs: SHOWN_DAY, unknownMs: 0 });
    expect(item.up).toBe(100);
    expect(itemOf('API', { known: [], current: null })).toMatchObject({ state: 'unknown', up: null });
  });

  it('is unknown when nothing was measured lately, whatever was known last', () => {
    const known = [{ from: FROM, to: AT - SILENT_AFTER - 1, state: 'up' }] as const;
    expect(itemOf('API', { known })).toMatchObject({ state: 'unknown', since: AT - SILENT_AFTER - 1 });
    expect(itemOf('API', { known: [{ from: FROM, to: AT - SILENT_AFTER, state: 'up' }] }).state).toBe('working');
  });

  it('leaves planned work out of its figure, and counts timeouts as failures', () => {
    const failure = { from: AT - 7_200_000, to: AT - 3_600_000, state: 'timeout' } as const;
    const planned = itemOf('API', { known: upBut(failure), maintenance: [{ from: failure.from, to: failure.to }] });
    expect([planned.up, planned.days.at(-1)?.maintenanceMs]).toEqual([100, 3_600_000]);
    expect(planned.failures).toEqual([]);
    expect(itemOf('API', { known: upBut(failure) }).days.at(-1)?.downMs).toBe(3_600_000);
    expect(itemOf('API', { known: upBut(failure) }).up).toBeLessThan(100);
  });

  it('counts a failure that changes its kind once', () => {
    const [begin, then] = [AT - 7_200_000, AT - 3_600_000];
    const known = upBut({ from: begin, to: then, state: 'timeout' }, { from: then, to: AT, state: 'down' });
    expect(itemOf('API', { known }).failures).toEqual([{ from: begin, to: AT }]);
  });
});

it('an incident is about the failure that it was published in, or shortly after', () => {
  const items = [{ failures: [{ from: 0, to: 10 }] }, { failures: [{ from: 5, to: 8_000_000 }] }];
  expect([9, 3_600_009, 7_000_000, 20_000_000].map((at) => firstFailingBefore(items, at))).toEqual([0, 0, 5, null]);
});

it('a group fails while one of its checks fails, and is known while one of them is', () => {
  const one = [{ from: 0, to: 10, state: 'up' }] as const;
  const other = [
    { from: 4, to: 6, state: 'down' },
    { from: 12, to: 14, state: 'timeout' },
  ] as const;
  expect(worstOf([one, other])).toEqual([
    { from: 0, to: 4, state: 'up' },
    { from: 4, to: 6, state: 'down' },
    { from: 6, to: 10, state: 'up' },
    { from: 12, to: 14, state: 'timeout' },
  ]);
  expect(worstOf([])).toEqual([]);
});
