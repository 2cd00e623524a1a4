import { describe, expect, it } from '@jest/globals';
import { AccountPace } from './account-pace.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the pace of an account', () => {
  it('spreads the looks at ten thousand imported sites within their period, and makes those at a single new site at once', () => {
    const pace = new AccountPace();
    const imported = Array.from({ length: 30_000 }, () => pace.dueOf(1, NOW) - NOW);
    expect(imported.slice(0, 61).every((delay) => delay === 0)).toBe(true);
    const perSecond = new Map<number, number>();
    for (const delay of imported.slice(61)) perSecond.set(Math.floor(delay / 1_000), (perSecond.get(Math.floor(delay / 1_000)) ?? 0) + 1);
    expect(Math.max(...perSecond.values())).toBe(10);
    expect(Math.max(...imported)).toBeLessThan(3_600_000);
    expect([1, 2, 3].map(() => pace.dueOf(2, NOW))).toEqual([NOW, NOW, NOW]);
    expect(pace.dueOf(1, NOW + 3_600_000)).toBe(NOW + 3_600_000);
  });

  it('takes no turn of others for what would take place too late', () => {
    const pace = new AccountPace();
    const made = Array.from({ length: 200 }, () => pace.dueBefore(NOW + 1_000, 1, NOW)).filter((due) => due !== null);
    expect(made).toHaveLength(70);
    expect(Math.max(...made)).toBe(NOW + 900);
    expect(pace.dueOf(1, NOW)).toBe(NOW + 1_000);
  });
});
