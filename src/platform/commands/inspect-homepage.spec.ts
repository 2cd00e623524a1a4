import { beforeEach, describe, expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { checklistTarget } from '../../projects/checks/checklist.decider.ts';
import { deleteArea } from '../../projects/checks/check.decider.ts';
import { presetCheck, presetChecks } from '../../projects/checks/preset.ts';
import { changeSettings, create, remove } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { systemContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { InspectHomepage, InspectHomepageHandler } from '../../projects/project.commands.ts';
import { wholeProjectTarget } from '../../projects/project-stream.ts';

const { url } = projectSettings;
const links = ['/a', '/b', '/c'].map((path) => ({ url: path, text: path }));
const context = () => systemContext({ kind: 'checker', id: 'eu' }, 0);

let store: MemoryEventStore;
let runner: CommandRunner;
beforeEach(async () => {
  store = new MemoryEventStore();
  runner = new CommandRunner(store);
  const wanted = { projectId: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: true };
  await runner.run(wholeProjectTarget('p'), context(), ([project]) => [
    ...create(project, wanted),
    ...presetChecks(url, ['area', 'homepage', 'favicon', 'robots', 'missing']),
  ]);
});

const inspect = (looked = url): Promise<void> =>
  new InspectHomepageHandler(runner, { secret: () => Promise.resolve(Buffer.alloc(32)) }).execute(
    new InspectHomepage(context(), { projectId: 'p', url: looked, isWordPress: true, links }),
  );
const recorded = (from: number): readonly string[] => store.events.slice(from).map(({ type }) => type);

describe('a look at the homepage', () => {
  it('makes the links of a preset project checks, once', async () => {
    const before = store.events.length;
    await inspect();
    await inspect();
    expect(recorded(before)).toEqual(['HomepageInspected', 'CheckCreated', 'CheckCreated', 'CheckCreated']);
  });

  it('that began before the project moved says nothing of the site that it moved to', async () => {
    const entered = 'https://elsewhere.example';
    await runner.run(projectTarget('p'), context(), (project) => changeSettings(project, { url: entered }, 1));
    const before = store.events.length;
    await inspect();
    expect(recorded(before)).toEqual([]);
    await inspect(entered);
    expect(recorded(before)).toEqual(['HomepageInspected', 'CheckCreated', 'CheckCreated', 'CheckCreated']);
  });

  it('tells what it is made with also where no more checks fit, and takes as many links as do', async () => {
    const settings = presetCheck('', '/', 'simple', []);
    const many = Array.from({ length: 1_995 }, (_, index) => ({ checkId: String(index), areaId: 'area', settings }));
    for (let first = 0; first < many.length; first += 400)
      await runner.run(checklistTarget('p'), context(), () =>
        many.slice(first, first + 400).map((data) => ({ type: 'CheckCreated' as const, data })),
      );
    const before = store.events.length;
    await inspect();
    expect(recorded(before)).toEqual(['HomepageInspected', 'CheckCreated']);
  });

  it('makes one group for all links when those of the presets were deleted meanwhile', async () => {
    await runner.run(checklistTarget('p'), context(), (list) => deleteArea(list, 'area'));
    const before = store.events.length;
    await inspect();
    expect(recorded(before)).toEqual(['HomepageInspected', 'AreaCreated', 'CheckCreated', 'CheckCreated', 'CheckCreated']);
  });

  it('says nothing of a project that is gone', async () => {
    await runner.run(projectTarget('p'), context(), (project) => remove(project, 1));
    const before = store.events.length;
    await inspect();
    expect(recorded(before)).toEqual([]);
  });
});
