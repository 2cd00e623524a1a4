import { beforeEach, describe, expect, it } from '@jest/globals';
import { projectSettings } from '../../test/support/project-settings.ts';
import { MemoryClaims } from '../../test/support/memory/memory-claims.ts';
import { MemoryInvitations } from '../../test/support/memory/memory-invitations.ts';
import { publicArea } from './areas/area.settings.ts';
import { checklistTarget } from './checks/checklist.decider.ts';
import { changeArea, createArea } from './checks/check.decider.ts';
import type { CheckSettings } from './checks/check.settings.ts';
import { create } from './project.decider.ts';
import { projectTarget } from './project.state.ts';
import { MemoryEventStore } from '../../test/support/memory/memory-event-store.ts';
import type { StreamEvent } from '../kernel/event.ts';
import { DeleteArea, DeleteAreaHandler } from './areas/area.commands.ts';
import { type CommandContext, systemContext } from '../platform/commands/context.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { PreconditionFailed } from '../platform/commands/precondition.ts';
import { DeleteProject, DeleteProjectHandler } from './project.commands.ts';
import { areaTag } from './areas/area.view.ts';

/** Enough that one append cannot hold what is said of them all. */
const CHECKS = 1_200;
const checkSettings: CheckSettings = {
  name: '字'.repeat(200),
  url: '/',
  enabled: true,
  notice: '',
  type: 'simple',
  rules: [],
  options: { '2': false, '6': false, g: false, l: false, w: null },
  template: { id: '', vars: [] },
};

let store: MemoryEventStore;
const fresh = (): CommandRunner => new CommandRunner(store);
const context = (commandId?: string): CommandContext =>
  systemContext({ kind: 'user', id: '1' }, 0, commandId === undefined ? {} : { commandId });

beforeEach(async () => {
  store = new MemoryEventStore();
  const runner = fresh();
  await runner.run(projectTarget('p'), context(), (project) =>
    create(project, {
      projectId: 'p',
      payerId: 1,
      settings: projectSettings,
      apiKey: { subject: 'project-p', sealed: '' },
      preset: false,
    }),
  );
  const target = checklistTarget('p');
  await runner.run(target, context(), (list) => createArea(list, 'a', publicArea));
  for (let first = 0; first < CHECKS; first += 400) {
    const created = Array.from({ length: 400 }, (_, index) => ({ checkId: String(first + index), areaId: 'a', settings: checkSettings }));
    await runner.run(target, context(), () => created.map((data) => ({ type: 'CheckCreated' as const, data })));
  }
});

const rename = () => fresh().run(checklistTarget('p'), context(), (list) => changeArea(list, 'a', { name: 'Renamed' }, ''));

const gone = (): readonly StreamEvent[] => store.events.filter(({ type }) => type.endsWith('Deleted'));
const endsWith = (...types: readonly string[]): void => {
  expect(gone().map(({ type }) => type)).toEqual([...Array.from({ length: CHECKS }, () => 'CheckDeleted'), ...types]);
};

describe('deleting what holds very many checks', () => {
  it('deletes a group', async () => {
    await new DeleteAreaHandler(fresh()).execute(new DeleteArea(context(), { projectId: 'p', areaId: 'a' }));
    endsWith('AreaDeleted');
  });

  it('deletes a project', async () => {
    await new DeleteProjectHandler(fresh(), new MemoryClaims(), new MemoryInvitations(new MemoryClaims())).execute(
      new DeleteProject(context(), { projectId: 'p', by: 1 }),
    );
    endsWith('AreaDeleted', 'ProjectDeleted');
  });

  it('continues where a crash stopped it, and writes nothing twice', async () => {
    const append = store.append.bind(store);
    let appends = 0;
    store.append = (...given) => (++appends > 2 ? Promise.reject(new Error('crash')) : append(...given));
    await expect(new DeleteAreaHandler(fresh()).execute(new DeleteArea(context('k'), { projectId: 'p', areaId: 'a' }))).rejects.toThrow(
      'crash',
    );
    expect(gone()).toHaveLength(1_000);
    store.append = append;
    await new DeleteAreaHandler(fresh()).execute(new DeleteArea(context('k'), { projectId: 'p', areaId: 'a' }));
    await new DeleteAreaHandler(fresh()).execute(new DeleteArea(context('k'), { projectId: 'p', areaId: 'a' }));
    endsWith('AreaDeleted');
  });

  it('under a precondition deletes everything or nothing, also where the settings change between two appends', async () => {
    const matching = (tag: string) => ({ ...context(), precondition: { tags: [tag] } });
    const refused = new DeleteAreaHandler(fresh()).execute(
      new DeleteArea(matching(areaTag('a', { ...publicArea, name: 'Other' })), { projectId: 'p', areaId: 'a' }),
    );
    await expect(refused).rejects.toThrow(PreconditionFailed);
    expect(gone()).toEqual([]);
    const append = store.append.bind(store);
    let appends = 0;
    store.append = async (...given) => {
      const appended = await append(...given);
      if (++appends === 1) await rename();
      return appended;
    };
    await new DeleteAreaHandler(fresh()).execute(new DeleteArea(matching(areaTag('a', publicArea)), { projectId: 'p', areaId: 'a' }));
    endsWith('AreaDeleted');
  });
});
