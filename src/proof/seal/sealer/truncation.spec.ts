import { describe, expect, it } from '@jest/globals';
import { logOf, ORIGIN, sampleEvents, sealed } from '../../../../test/support/sealed-log.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import { findDeclared, matchesSeal, measureTruncation } from './truncation.ts';

/** More than a page of the log. */
const SEALED = 2_100;
const EVENTS = sampleEvents(SEALED);
const { tree } = sealed(EVENTS);

const changed = (n: number): LogEvent[] => EVENTS.map((event) => (event.n === n ? { ...event, data: {} } : event));

describe('the truncation of a sealed log', () => {
  const lossIn = (events: readonly LogEvent[]) => measureTruncation(logOf(events), tree, SEALED);

  it('is null while every sealed event is unchanged', async () => {
    expect(await lossIn(EVENTS)).toBeNull();
    expect(await lossIn(sampleEvents(SEALED + 10))).toBeNull();
  });

  it.each([0, 1, 999, 1000, 1001, SEALED - 1])(
    'begins with event %d when the log ends before it, lacks it, or has another one',
    async (to) => {
      const loss = { from: SEALED, to };
      expect(await lossIn(EVENTS.slice(0, to))).toEqual(loss);
      expect(await lossIn(EVENTS.toSpliced(to, 1))).toEqual(loss);
      expect(await lossIn(changed(to))).toEqual(loss);
    },
  );
});

describe('the declaration of a truncation', () => {
  const [sample] = EVENTS;
  const declares = (n: number, from: number, to: number, origin = `${ORIGIN}/2`): LogEvent => ({
    ...sample!,
    n,
    scope: 'system',
    type: 'LogTruncated',
    data: { from, to, origin },
  });
  const find = (log: ReturnType<typeof logOf>, size: number, generation = 0) => findDeclared(log, { origin: ORIGIN, size, generation });

  it('is found when it states exactly the sealed size', async () => {
    const log = logOf([declares(600, SEALED - 1, 600), declares(601, SEALED, 600), declares(602, SEALED + 1, 600)]);
    expect(await find(log, SEALED)).toMatchObject({ from: SEALED, to: 600, n: 601 });
    expect(await find(log, SEALED - 2)).toBeNull();
  });

  it('keeps nothing that came after it', async () => {
    expect(await find(logOf([declares(600, SEALED, 600)]), SEALED)).toMatchObject({ from: SEALED, to: 600 });
    expect(await find(logOf([declares(600, SEALED, 601)]), SEALED)).toBeNull();
  });

  it.each([998, 999, 1000, 1001])('is found behind %d others', async (others) => {
    const log = logOf([...Array.from({ length: others }, (_, n) => declares(n, 1, 0)), declares(others, SEALED, 0)]);
    expect(await find(log, SEALED)).toMatchObject({ from: SEALED, to: 0 });
  });

  it('is followed once: the same size may be lost again', async () => {
    const log = logOf([declares(600, SEALED, 600)]);
    expect(await find(log, SEALED, 1)).toBeNull();
    expect(await find(logOf([declares(600, SEALED, 600), declares(700, SEALED, 650, `${ORIGIN}/3`)]), SEALED, 1)).toMatchObject({ n: 700 });
  });

  it('is ignored outside the system scope', async () => {
    expect(await find(logOf([{ ...declares(600, SEALED, 600), scope: 'project-1' }]), SEALED)).toBeNull();
  });

  it.each([1, 2, 1000, SEALED - 1])('that keeps %d events is valid while the last of them matches the seal', async (to) => {
    const honest = (events: readonly LogEvent[]) => matchesSeal(logOf(events), tree, { from: SEALED, to });
    expect(await honest(EVENTS.slice(0, to))).toBe(true);
    expect(await honest(changed(to))).toBe(true);
    expect(await honest(changed(to - 1))).toBe(false);
    expect(await honest(EVENTS.slice(0, to - 1))).toBe(false);
    expect(await honest(EVENTS.toSpliced(to - 1, 1))).toBe(false);
  });

  it('that keeps nothing is always valid', async () => {
    expect(await matchesSeal(logOf([]), tree, { from: SEALED, to: 0 })).toBe(true);
  });
});
