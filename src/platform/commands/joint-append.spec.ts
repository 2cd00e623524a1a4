import { expect, it } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { publicArea } from '../../projects/areas/area.settings.ts';
import { checklistTarget } from '../../projects/checks/checklist.decider.ts';
import { createArea, deleteArea } from '../../projects/checks/check.decider.ts';
import { changeSettings, create, ProjectNotFound } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import { CommandRunner } from './command-runner.ts';
import { type CommandContext, type JointPlace, systemContext } from './context.ts';
import { BatchNotApplied, JointAppend } from './joint-append.ts';

const target = projectTarget('p');
const signal = new AbortController().signal;
const wanted = { projectId: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: false };

class World {
  readonly store = new MemoryEventStore(systemClock);
  readonly runner = new CommandRunner(this.store);
  joint = new JointAppend();
  private places = 0;

  static async withProject(): Promise<World> {
    const world = new World();
    await world.runner.run(target, systemContext({ kind: 'user', id: '1' }, 0), (project) => create(project, wanted));
    return world;
  }

  context(given: Partial<CommandContext> = {}): CommandContext {
    const joint: JointPlace = this.joint.place(this.places++, () => undefined);
    return { ...systemContext({ kind: 'user', id: '1' }, 0), joint, ...given };
  }

  rename(title: string, given: Partial<CommandContext> = {}, runner = this.runner): Promise<unknown> {
    return runner.run(target, this.context(given), (project) => changeSettings(project, { title }, 1));
  }

  async events(): Promise<readonly StreamEvent[]> {
    const events: StreamEvent[] = [];
    for await (const event of this.store.readStream('project-p')) events.push(event);
    return events;
  }
}

it('appends the events of several commands at once, each with its own command id', async () => {
  const world = await World.withProject();
  const settled = [
    world.rename('A', { commandId: 'one' }),
    world.runner.run(checklistTarget('p'), world.context({ commandId: 'two' }), (list) => createArea(list, 'area', publicArea)),
    world.rename('B', { commandId: 'three' }),
  ];
  expect(await world.events()).toHaveLength(1);
  await world.runner.runJointly(world.joint, signal);
  await Promise.all(settled);
  expect((await world.events()).slice(1).map(({ type, data, meta }) => [type, data, meta.commandId])).toEqual([
    ['ProjectRenamed', { from: projectSettings.title, to: 'A' }, 'one'],
    ['AreaCreated', expect.anything(), 'two'],
    ['ProjectRenamed', { from: 'A', to: 'B' }, 'three'],
  ]);
});

it('lets an appended command go on when it is its turn', async () => {
  const world = await World.withProject();
  const order: string[] = [];
  let call: () => void = () => undefined;
  const called = new Promise<void>((resolve) => (call = resolve));
  const late = world
    .rename('A', {
      joint: world.joint.place(
        0,
        () => undefined,
        () => called,
      ),
    })
    .then(() => order.push('A'));
  const early = world.rename('B', { joint: world.joint.place(1, () => undefined) }).then(() => order.push('B'));
  await world.runner.runJointly(world.joint, signal);
  await early;
  expect(order).toEqual(['B']);
  call();
  await late;
  expect(order).toEqual(['B', 'A']);
});

it('appends nothing when a command refuses, and says which', async () => {
  const world = await World.withProject();
  const outcomes = Promise.allSettled([
    world.rename('A'),
    world.runner.run(checklistTarget('p'), world.context(), (list) => deleteArea(list, 'unknown')),
    world.rename('B'),
  ]);
  await world.runner.runJointly(world.joint, signal);
  const [first, second, third] = await outcomes;
  expect(second).toMatchObject({ reason: { code: 'AREA_NOT_FOUND' } });
  for (const other of [first, third]) expect(other).toMatchObject({ reason: new BatchNotApplied('operation 1 was refused') });
  expect(await world.events()).toHaveLength(1);
});

it('decides all of them again on what another writer appended in between', async () => {
  const world = await World.withProject();
  const rival = new CommandRunner(world.store);
  const append = world.store.append.bind(world.store);
  let isFirst = true;
  world.store.append = async (...given) => {
    if (isFirst) {
      isFirst = false;
      await rival.run(target, systemContext({ kind: 'user', id: '1' }, 0), (project) => changeSettings(project, { title: 'R' }, 1));
    }
    return append(...given);
  };
  const renamed = [world.rename('A'), world.rename('B')];
  await world.runner.runJointly(world.joint, signal);
  await Promise.all(renamed);
  expect((await world.events()).slice(1).map(({ data }) => data)).toEqual([
    { from: projectSettings.title, to: 'R' },
    { from: 'R', to: 'A' },
    { from: 'A', to: 'B' },
  ]);
});

it('carries out what is new beside a command that was appended before, whose events it appends no second time', async () => {
  const world = await World.withProject();
  await world.runner.run(target, { ...systemContext({ kind: 'user', id: '1' }, 0), commandId: 'one' }, (project) =>
    changeSettings(project, { title: 'A' }, 1),
  );
  const places: string[] = [];
  const recordAppend: CommandContext['recordAppend'] = ({ position }, events) => places.push(`${position} ${String(events.length)}`);
  const settled = [
    world.rename('A', { commandId: 'one', repeat: true, recordAppend }),
    world.rename('B', { commandId: 'two', repeat: true, recordAppend }),
  ];
  await world.runner.runJointly(world.joint, signal);
  await Promise.all(settled);
  expect((await world.events()).map(({ meta }) => meta.commandId).slice(1)).toEqual(['one', 'two']);
  expect(places.map((place) => place.split(' ')[1])).toEqual(['0', '1']);
});

it('takes commands of one stream alone, and each place once', async () => {
  const world = await World.withProject();
  const first = world.rename('A');
  const context = world.context();
  const other = projectTarget('q');
  await expect(world.runner.run(other, context, (project) => changeSettings(project, { title: 'B' }, 1))).rejects.toThrow(
    new BatchNotApplied('operation 1 is about another project than operation 0'),
  );
  await expect(world.runner.run(target, context, () => [])).rejects.toThrow('appends once');
  world.joint.abandon(new BatchNotApplied('a test ends it'));
  await expect(first).rejects.toThrow('a test ends it');
  await world.runner.runJointly(world.joint, signal);
  expect(await world.events()).toHaveLength(1);
});

it('refuses what the project refuses', async () => {
  const world = new World();
  const renamed = world.rename('A');
  await Promise.all([world.runner.runJointly(world.joint, signal), expect(renamed).rejects.toThrow(ProjectNotFound)]);
});
