import { describe, expect, it } from '@jest/globals';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { areaTurns } from '../checks/area-turns.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { wholeProjectTarget } from '../../projects/project-stream.ts';
import { emptyForm, publicArea } from '../../projects/areas/area.settings.ts';
import type { ChecklistEvent } from '../../projects/checks/checklist.decider.ts';
import { presetCheck } from '../../projects/checks/preset.ts';
import { create } from '../../projects/project.decider.ts';
import { verdictTarget } from '../verdicts/verdict.state.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { nextOccurrence } from '../../kernel/recurrence.ts';
import { type AreaRow, areaView } from '../../projects/areas/area.view.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import { projectView } from '../../projects/project.view.ts';
import { AreaFactsReader } from './area-facts.ts';
import { type AreaFacts, presentArea } from '../../projects/areas/area.presenter.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 34, 56, 789);
const evidence = { runId: 'r', url: '/', at: new Date(NOW).toISOString(), location: 'eu', httpStatus: 500, milliseconds: 1, page: null };

/** Two areas: `a` has these checks, which fail by these broken rules; `b` has no schedule. */
async function read(
  checks: readonly { readonly enabled: boolean; readonly broken?: readonly string[] }[],
  later: readonly ChecklistEvent[] = [],
) {
  const store = new MemoryEventStore();
  const runner = new CommandRunner(store);
  const context = () => systemContext({ kind: 'user', id: '1' }, NOW);
  const apiKey = { subject: 'project-p', sealed: '' };
  const listed: readonly ChecklistEvent[] = [
    { type: 'AreaCreated', data: { areaId: 'a', settings: publicArea } },
    { type: 'AreaCreated', data: { areaId: 'b', settings: { ...publicArea, period: 'false' } } },
    ...checks.map(({ enabled }, nth): ChecklistEvent => ({
      type: 'CheckCreated',
      data: { checkId: `c${String(nth)}`, areaId: 'a', settings: { ...presetCheck('', '/', 'simple', []), enabled } },
    })),
  ];
  await runner.run(wholeProjectTarget('p'), context(), ([project]) => [
    ...create(project, { projectId: 'p', payerId: 1, settings: { ...projectSettings, period: '8 hours' }, apiKey, preset: false }),
    ...listed,
    ...later,
  ]);
  for (const [nth, { broken }] of checks.entries()) {
    if (broken === undefined) continue;
    const failing = { status: 'error' as const, rules: broken, failures: broken.map((rule) => `${rule} does not hold`) };
    const checkId = `c${String(nth)}`;
    await runner.run(verdictTarget('p', checkId), context(), () => [
      { type: 'CheckFailed' as const, data: { checkId, since: evidence.at, failing, confirmed: true, evidence } },
    ]);
  }
  const views = new MemoryViews(() => store.events);
  const project = await views.get(projectView, 'p');
  const areas = (await views.list(areaView, { scope: 'project-p' })).map(({ row }) => row);
  if (project === null) throw new Error('the project was not found');
  const facts = await new AreaFactsReader({ now: () => views } as unknown as ConstructorParameters<typeof AreaFactsReader>[0]).read(
    areas,
    project,
    NOW,
  );
  const rows = (await views.list(checkView, { scope: 'project-p' })).map(({ row }) => row);
  const plan = { project, areas: new Map(areas.map((row) => [row.id, row])), checks: new Map(rows.map((row) => [row.id, row])) };
  const presented = (row: AreaRow) => presentArea(row, '', '', facts.get(row.id) ?? { failure: null, periodInt: 0, nextRun: -1 });
  return { presented: areas.map(presented), facts: (id: string): Partial<AreaFacts> => facts.get(id) ?? {}, turns: areaTurns(plan) };
}

describe('the facts of an area', () => {
  it('contain the period and the seconds until the checker starts it next', async () => {
    const { facts, turns } = await read([{ enabled: true }]);
    const [turn] = turns;
    if (turn === undefined) throw new Error('the area is not scheduled');
    expect(facts('a')).toEqual({ failure: null, periodInt: 28_800, nextRun: Math.ceil((nextOccurrence(turn, NOW) - NOW) / 1_000) });
    expect(facts('a').nextRun).toBeGreaterThan(0);
    expect(facts('a').nextRun).toBeLessThanOrEqual(28_800);
  });

  it('contain no next start without enabled checks or without a schedule', async () => {
    const { facts, turns } = await read([{ enabled: false }]);
    expect(turns).toEqual([]);
    expect(facts('a')).toMatchObject({ periodInt: 28_800, nextRun: -1 });
    expect(facts('b')).toMatchObject({ periodInt: 0, nextRun: -1 });
  });

  it('contain the first failure of its own rules or sign-in, not of a single check', async () => {
    const failure = async (...broken: (readonly string[])[]) =>
      (await read(broken.map((rules) => ({ enabled: true, broken: rules })))).facts('a').failure;
    expect(await failure(['own title eq x'])).toBeNull();
    expect(await failure(['own title eq x'], ['group status eq 200', 'own title eq x'])).toBe('group status eq 200 does not hold');
    expect(await failure(['sign-in form'])).toBe('sign-in form does not hold');
    expect((await read([{ enabled: false, broken: ['group status eq 200'] }])).facts('a').failure).toBeNull();
  });
});

describe('a sign-in form', () => {
  const formed = (checksum: string): ChecklistEvent => ({
    type: 'AreaFormChanged',
    data: { areaId: 'a', from: null, to: { ...emptyForm, enabled: true, baseUrl: 'https://site.example/in', checksum } },
  });
  const first: ChecklistEvent = { type: 'AreaFormFirstFound', data: { areaId: 'a', checksum: 'first' } };
  const changed: ChecklistEvent = { type: 'AreaFormFoundChanged', data: { areaId: 'a', checksum: 'second' } };
  const renamed: ChecklistEvent = { type: 'AreaRenamed', data: { areaId: 'a', from: 'Public', to: 'Members' } };

  it.each<readonly [string, readonly ChecklistEvent[], string | undefined, string | undefined]>([
    ['that was saved without a checksum and not found yet', [formed('')], undefined, undefined],
    ['that was found once', [formed(''), first], 'first', undefined],
    ['that was found once, with another setting saved since', [formed(''), first, renamed], 'first', undefined],
    ['that changed since', [formed(''), first, changed], 'second', 'The sign-in form has changed since it was first found.'],
    ['that was saved anew', [formed(''), first, changed, formed('')], undefined, undefined],
    ['that is as saved', [formed('saved')], undefined, undefined],
    ['that is not as saved', [formed('saved'), changed], 'second', 'The sign-in form has changed since the area was saved.'],
  ])('%s shows the checksum to save and what is wrong', async (_, events, checksum, sentence) => {
    const { presented } = await read([], events);
    const [area] = presented;
    expect([area?.foundChecksum, area?.result?.prop]).toEqual([checksum, sentence]);
  });
});
