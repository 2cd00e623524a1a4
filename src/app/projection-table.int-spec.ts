import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { history } from '../../test/samples/history.ts';
import { thorough } from '../../test/support/thorough.ts';
import { lawsOfUnit } from '../platform/read-models/testing/view-laws.ts';
import { viewUnit } from '../platform/read-models/views/unit.ts';
import { coreViews } from './projection-table.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const events = history();
const unit = viewUnit('laws', coreViews);

it('has a unique name for every view', () => {
  expect(() => viewUnit('core', coreViews)).not.toThrow();
});

it.each(coreViews.map((view) => [view.name, view] as const))('the view %s has a sample of each of its events', (_, { handles }) => {
  const sampled = new Set(events.map(({ type }) => type));
  expect([...handles].filter((type) => !sampled.has(type))).toEqual([]);
});

describe('each core view', () => {
  it.each(lawsOfUnit(unit, thorough(1, 7)).map((law) => [law.says, law] as const))('%s', async (_, law) => {
    await law.check(events, database.pool);
  });
});
