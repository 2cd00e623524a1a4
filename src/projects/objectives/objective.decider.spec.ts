import { describe, expect, it } from '@jest/globals';
import { decide } from '../../../test/support/decide.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { objective, removeObjective, setObjective } from './objective.decider.ts';
import { formatUtcOffset, isPercentage, noObjective, parseUtcOffset, type ServiceObjective, standardMethod } from './objective.settings.ts';

const wanted: ServiceObjective = {
  ...noObjective,
  target: { percent: 99.9, window: 'month' },
  credits: [
    { below: 99.9, percent: 10 },
    { below: 99, percent: 25 },
  ],
};
const { given } = decide(objective);
const refused = (changes: Partial<ServiceObjective>) => () => setObjective(objective.initial, { ...wanted, ...changes });

describe('an objective', () => {
  it('is set, replaced and removed, and the same value changes nothing', () => {
    given()
      .when((state) => setObjective(state, wanted))
      .then({ type: 'ObjectiveSet', data: wanted });
    const set = { type: 'ObjectiveSet', data: wanted } as const;
    given(set)
      .when((state) => setObjective(state, { credits: wanted.credits, methods: [standardMethod], offsetMinutes: 0, target: wanted.target }))
      .then();
    given(set)
      .when(removeObjective)
      .then({ type: 'ObjectiveRemoved', data: { target: wanted.target } });
    given(set, { type: 'ObjectiveRemoved', data: { target: null } })
      .when(removeObjective)
      .then();
  });

  it('refuses two methods of one name, and credits that do not rise while availability falls', () => {
    expect(refused({ methods: [standardMethod, standardMethod] })).toThrow(InvalidInput);
    expect(refused({ credits: [...wanted.credits].reverse() })).toThrow('credits.1.below: must be less');
    expect(refused({ credits: [wanted.credits[0] ?? { below: 0, percent: 0 }, { below: 99, percent: 10 }] })).toThrow('credits.1.percent');
  });
});

it('reads the UTC offsets that exist, and no others', () => {
  const known = ['+00:00', '-12:00', '+14:00', '+05:45', '-03:30'];
  expect(known.map((text) => parseUtcOffset(text)).map((minutes) => formatUtcOffset(minutes ?? NaN))).toEqual(known);
  expect([parseUtcOffset('Z'), parseUtcOffset('+0100'), Object.is(parseUtcOffset('-00:00'), 0)]).toEqual([0, 60, true]);
  expect(['+14:15', '-12:15', '+05:10', '+05:60', '+25:00', '5', 'CET', ''].map(parseUtcOffset)).toEqual(Array(8).fill(null));
});

it('takes percentages of at most four decimals', () => {
  expect([99.9999, 0, 100, 99.99999, 100.1, -1, NaN].map(isPercentage)).toEqual([true, true, true, false, false, false, false]);
});
