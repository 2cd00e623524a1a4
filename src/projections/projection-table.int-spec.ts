import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { history } from '../../test/samples/history.ts';
import type { View } from './authoring/define-view.ts';
import { lawsOfView } from './testing/view-laws.ts';
import { viewUnit } from './views/unit.ts';
import { coreViews } from './projection-table.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const events = history();
/** What a view does not handle never reaches it: of those events, the one after each that it handles moves its position, and the others only cost time. */
const relevantTo = ({ handles }: View) =>
  events.filter(({ type }, n) => handles.has(type) || (n > 0 && handles.has(events[n - 1]?.type ?? '')));

it('has a unique name for every view', () => {
  expect(() => viewUnit('core', coreViews)).not.toThrow();
});

describe.each(coreViews.map((view) => [view.name, view] as const))('the view %s', (_, view) => {
  it('has a sample of each of its events', () => {
    const sampled = new Set(events.map(({ type }) => type));
    expect([...view.handles].filter((type) => !sampled.has(type))).toEqual([]);
  });

  it.each(lawsOfView(view).map((law) => [law.says, law] as const))('%s', async (_says, law) => {
    await law.check(relevantTo(view), database.pool);
  });
});
