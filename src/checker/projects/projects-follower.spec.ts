import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { until } from '../../../test/support/until.ts';
import { LogReplaced } from '../../platform/log/log.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { publicArea } from '../../projects/areas/area.settings.ts';
import { checklistTarget } from '../../projects/checks/checklist.decider.ts';
import { presetChecks } from '../../projects/checks/preset.ts';
import { create, remove } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryLog } from '../../../test/support/memory/memory-log.ts';
import { shardOf, shardsOf } from '../../platform/observations/shards.ts';
import type { Columns, View } from '../../platform/read-models/authoring/define-view.ts';
import { KeyParked, type ListQuery, type Views } from '../../platform/read-models/views/views.ts';
import { ProjectsFollower, type ProjectsFollowerOptions } from './projects-follower.ts';

/** Ids of projects; the last three are in shards of their own. */
const [a, b, lost, c, d, e] = ['aa', 'ab', 'a8', 'c0', 'd0', 'e0'].map((prefix) => prefix.padEnd(24, '0')) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const everyShard = shardsOf(projectSettings.location);

let store: MemoryEventStore;
let log: MemoryLog;
let reported: unknown[];
let follower: ProjectsFollower;
beforeEach(() => {
  const wake = new LocalWake();
  store = new MemoryEventStore({ now: () => 0 }, wake);
  log = new MemoryLog(store, wake);
  reported = [];
});
afterEach(() => follower.close());

async function createProject(projectId: string): Promise<void> {
  const wanted = { projectId, payerId: 1, settings: projectSettings, apiKey: { subject: 'project', sealed: '' }, preset: false };
  const context = systemContext({ kind: 'user', id: '1' }, 0);
  await new CommandRunner(store).run(projectTarget(projectId), context, (project) => create(project, wanted));
}

/** Holds these shards from the start. */
async function follow(given: Partial<ProjectsFollowerOptions>, shards = everyShard): Promise<void> {
  follower = new ProjectsFollower({
    views: new MemoryViews(() => store.events),
    log,
    locations: [projectSettings.location],
    onOccupancy: () => undefined,
    onChanged: () => undefined,
    onEvent: () => undefined,
    report: (error) => reported.push(error),
    sleep: () => new Promise((resolve) => setTimeout(resolve, 1)),
    ...given,
  });
  await follower.start();
  await Promise.all(shards.map((shard) => follower.load(shard, new AbortController().signal)));
}

const knows = (...ids: readonly string[]): Promise<void> =>
  until(() => Promise.resolve(ids.every((id) => follower.projects.get(id) !== undefined)), 2_000, `projects ${ids.join(' and ')}`);

it('loads the existing projects and follows the log', async () => {
  await createProject(a);
  await new CommandRunner(store).run(checklistTarget(a), systemContext({ kind: 'user', id: '1' }, 0), () =>
    presetChecks('https://example.com', ['group', 'one', 'two', 'three', 'four']),
  );
  await follow({});
  expect(follower.projects.get(a)?.project.settings).toEqual(projectSettings);
  expect([...(follower.projects.get(a)?.areas.values() ?? [])].map(({ id, settings }) => [id, settings])).toEqual([['group', publicArea]]);
  expect(new Set(follower.projects.get(a)?.checks.keys())).toEqual(new Set(['one', 'two', 'three', 'four']));
  await createProject(b);
  await knows(a, b);
  expect(reported).toEqual([]);
});

it('reports an unreadable log and continues from the last position', async () => {
  const damaged = new Error('an event is missing');
  let failures = 2;
  await follow({
    log: {
      follow: (after, signal) => {
        if (failures-- > 0) throw damaged;
        return log.follow(after, signal);
      },
    },
  });
  await createProject(a);
  await knows(a);
  expect(reported).toEqual([damaged, damaged]);
});

it('continues after an event that a listener rejects', async () => {
  const seen: string[] = [];
  const rejection = new Error('rejected');
  await follow({
    onEvent: ({ stream }) => {
      if (stream === `project-${a}`) throw rejection;
      seen.push(stream);
    },
  });
  await createProject(a);
  await createProject(b);
  await knows(a, b);
  await until(() => Promise.resolve(seen.length > 0), 2_000);
  expect([seen, reported]).toEqual([[`project-${b}`], [rejection]]);
});

/** Views in which the project is parked, with its row as of its creation, until `isReadable` is set. */
function parkedViews(projectId: string): { readonly views: Views; isReadable: boolean } {
  const now = new MemoryViews(() => store.events);
  const state = { isReadable: false, views: now as Views };
  const before = new MemoryViews(() =>
    store.events.filter(({ stream, type }) => stream !== `project-${projectId}` || type === 'ProjectCreated'),
  );
  state.views = new Proxy(now, {
    get: (target, name) => {
      if (state.isReadable) return Reflect.get(target, name) as unknown;
      if (name === 'get') return (view: View, key: string) => Promise.reject(new KeyParked(view.name, key));
      if (name !== 'list') return Reflect.get(target, name) as unknown;
      return async (view: View, query: ListQuery<Columns<object>>) => {
        if (query.parked !== 'as before') throw new KeyParked(view.name, projectId);
        const items = await before.list(view, query);
        return items.map((item) => (item.key === projectId ? { ...item, isParked: true } : item));
      };
    },
  });
  return state;
}

it('starts although a project is parked, uses its last known state, and refreshes it once it is readable', async () => {
  await createProject(a);
  await createProject(b);
  await new CommandRunner(store).run(projectTarget(a), systemContext({ kind: 'user', id: '1' }, 0), () => [
    { type: 'TimeoutChanged' as const, data: { from: projectSettings.timeout, to: 60 } },
  ]);
  const changed: string[] = [];
  const parked = parkedViews(a);
  await follow({
    views: parked.views,
    onChanged: (projectId) => changed.push(projectId),
    sleep: (_, signal) => new Promise((resolve) => (signal.aborted ? resolve() : setTimeout(resolve, 5))),
  });
  await knows(a, b);
  expect(follower.projects.get(a)?.project.settings.timeout).toBe(projectSettings.timeout);
  parked.isReadable = true;
  await until(() => Promise.resolve(follower.projects.get(a)?.project.settings.timeout === 60), 2_000);
  expect([changed, reported]).toEqual([[a], []]);
});

const changeTimeout = (projectId: string, seconds: number): Promise<unknown> =>
  new CommandRunner(store).run(projectTarget(projectId), systemContext({ kind: 'user', id: '1' }, 0), () => [
    { type: 'TimeoutChanged' as const, data: { from: projectSettings.timeout, to: seconds } },
  ]);
const timeoutOf = (projectId: string): number | undefined => follower.projects.get(projectId)?.project.settings.timeout;

/** Reads at once, but while `held` returns the result only after `release`. */
class Delayed {
  held = false;
  reads = 0;
  readonly views: Views;
  private waiting: (() => void)[] = [];

  constructor(views: Views, method: 'get' | 'list' | 'firsts' = 'get') {
    this.views = new Proxy(views, {
      get: (target, name) => {
        if (name !== method || !this.held) return Reflect.get(target, name) as unknown;
        // Cast: the three differ in what they take, which is passed on.
        const read = target[method].bind(target) as (...given: readonly unknown[]) => Promise<unknown>;
        return async (...given: readonly unknown[]) => this.later(await read(...given));
      },
    });
  }

  release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async later<Row>(row: Row): Promise<Row> {
    this.reads++;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    return row;
  }
}

it('replaces its projects when the log is replaced by one with another history', async () => {
  await createProject(a);
  await createProject(b);
  await createProject(lost);
  let current = store;
  const wake = new LocalWake();
  await follow({
    views: new MemoryViews(() => current.events),
    log: new MemoryLog(
      {
        get events() {
          return current.events;
        },
      },
      wake,
    ),
  });
  await changeTimeout(b, 50);
  await until(() => Promise.resolve(timeoutOf(b) === 50), 10_000, 'the change is applied');
  // A standby without the latest events took over, and received other appends.
  const standby = new MemoryEventStore({ now: () => 0 }, wake);
  const former = store.events;
  store = standby;
  for (const event of former.slice(0, 2))
    await standby.append(event.stream, event.revision === 0 ? 'no stream' : event.revision - 1, [event]);
  for (const id of [c, d, e]) await createProject(id);
  current = standby;
  wake.ring('log');
  await knows(c, d, e);
  await until(() => Promise.resolve(follower.projects.get(lost) === undefined), 10_000, 'the lost project is forgotten');
  await until(() => Promise.resolve(timeoutOf(b) === projectSettings.timeout), 10_000, 'the lost change is forgotten');
  expect(reported).toEqual([expect.any(LogReplaced)]);
});

it('does not overwrite newer events with a slow reload', async () => {
  await createProject(a);
  const parked = parkedViews(a);
  const reading = new Delayed(new MemoryViews(() => store.events));
  await follow({
    views: new Proxy(parked.views, { get: (_, name) => Reflect.get(parked.isReadable ? reading.views : parked.views, name) as unknown }),
  });
  reading.held = true;
  parked.isReadable = true;
  await until(() => Promise.resolve(reading.reads === 1), 10_000, 'the project is reloaded');
  await changeTimeout(a, 50);
  await until(() => Promise.resolve(timeoutOf(a) === 50), 10_000, 'the change is applied');
  reading.release();
  await until(() => Promise.resolve(reading.reads === 2), 10_000, 'the project is reloaded again');
  expect(timeoutOf(a)).toBe(50);
  reading.release();
  expect(reported).toEqual([]);
});

it('reloads a project only from read models that include the events it has applied', async () => {
  await createProject(a);
  const parked = parkedViews(a);
  let visible = Infinity;
  let reads = 0;
  const late = new MemoryViews(() => store.events.slice(0, visible));
  const views = new Proxy(late, {
    get: (target, name) => {
      if (!parked.isReadable) return Reflect.get(parked.views, name) as unknown;
      if (name === 'get') reads++;
      return Reflect.get(target, name) as unknown;
    },
  });
  await follow({ views });
  visible = store.events.length;
  await changeTimeout(a, 50);
  await until(() => Promise.resolve(timeoutOf(a) === 50), 10_000, 'the change is applied');
  parked.isReadable = true;
  await until(() => Promise.resolve(reads > 2), 10_000, 'the project is read repeatedly');
  expect(timeoutOf(a)).toBe(50);
  visible = Infinity;
  const before = reads;
  await until(() => Promise.resolve(reads > before), 10_000);
  expect([timeoutOf(a), reported]).toEqual([50, []]);
});

const move = (projectId: string, from: string, to: string): Promise<unknown> =>
  new CommandRunner(store).run(projectTarget(projectId), systemContext({ kind: 'user', id: '1' }, 0), () => [
    { type: 'LocationChanged' as const, data: { from, to } },
  ]);
const removeProject = (projectId: string): Promise<unknown> =>
  new CommandRunner(store).run(projectTarget(projectId), systemContext({ kind: 'user', id: '1' }, 0), (project) => remove(project, 1));
const inEu = (projectId: string): string => shardOf('eu', projectId);
const notAborted = new AbortController().signal;
const known = (): readonly string[] => [...follower.projects.ids()].sort();
const applied = async (timeout: number): Promise<void> => {
  await changeTimeout(c, timeout);
  await until(() => Promise.resolve(timeoutOf(c) === timeout), 2_000, 'the last event is applied');
};

describe('a checker that holds some shards', () => {
  it('keeps their projects only, and knows in which shards there are others', async () => {
    await createProject(a);
    await createProject(c);
    const occupied: (readonly string[])[] = [];
    await follow({ onOccupancy: () => void occupied.push(follower.occupied.of('eu')) }, [inEu(c)]);
    await createProject(d);
    await createProject(e);
    await changeTimeout(a, 40);
    await applied(41);
    expect(known()).toEqual([c]);
    expect(follower.occupied.of('eu')).toEqual([a, c, d, e].map(inEu));
    expect(follower.occupied.of('us')).toEqual([]);
    expect(occupied).toHaveLength(3);
  });

  it('forgets a shard whose last project is deleted, and none that gets one meanwhile', async () => {
    for (const id of [a, b, c, d]) await createProject(id);
    const reading = new Delayed(new MemoryViews(() => store.events), 'firsts');
    let changes = 0;
    await follow({ views: reading.views, onOccupancy: () => void changes++ }, [inEu(c)]);
    const occupied = (...ids: readonly string[]): Promise<void> =>
      until(() => Promise.resolve(follower.occupied.of('eu').join() === ids.map(inEu).join()), 2_000, `shards of ${ids.join(' and ')}`);
    await occupied(a, c, d);
    await removeProject(d);
    await occupied(a, c);
    reading.held = true;
    await removeProject(a);
    await until(() => Promise.resolve(reading.reads === 1), 2_000, 'the shards are read');
    await removeProject(b);
    await createProject(e);
    reading.held = false;
    reading.release();
    await occupied(c, e);
    expect(changes).toBeGreaterThan(3);
    expect(reported).toEqual([]);
  });

  it('misses no event that arrives while it loads a shard', async () => {
    for (const id of [a, c]) await createProject(id);
    const reading = new Delayed(new MemoryViews(() => store.events), 'list');
    await follow({ views: reading.views }, [inEu(c)]);
    reading.held = true;
    const loading = follower.load(inEu(a), notAborted);
    await until(() => Promise.resolve(reading.reads === 1), 2_000, 'the rows are read');
    await changeTimeout(a, 50);
    await createProject(b);
    await applied(51);
    reading.held = false;
    reading.release();
    expect([...(await loading)].sort()).toEqual([a, b]);
    expect(timeoutOf(a)).toBe(50);
    expect(reported).toEqual([]);
  });

  it('loads a shard from read models that include what it has applied', async () => {
    for (const id of [a, c]) await createProject(id);
    let visible = Infinity;
    await follow({ views: new MemoryViews(() => store.events.slice(0, visible)) }, [inEu(c)]);
    visible = store.events.length;
    await changeTimeout(a, 50);
    await applied(51);
    let isLoaded = false;
    const loading = follower.load(inEu(a), notAborted).then(() => (isLoaded = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isLoaded).toBe(false);
    visible = Infinity;
    await loading;
    expect(timeoutOf(a)).toBe(50);
  });

  it('takes a project that moves to one of them, and forgets one that moves away', async () => {
    for (const id of [a, c]) await createProject(id);
    await follow({ locations: ['eu', 'us'] }, [inEu(a), inEu(c), shardOf('us', d)]);
    await createProject(d);
    await move(a, 'eu', 'us');
    await move(d, 'eu', 'us');
    await knows(d);
    await applied(51);
    expect(known()).toEqual([c, d]);
    expect(follower.occupied.of('us')).toEqual([a, d].map((id) => shardOf('us', id)));
    await move(a, 'us', 'eu');
    await knows(a);
    expect(timeoutOf(a)).toBe(projectSettings.timeout);
  });

  it('forgets the projects of a shard that it drops', async () => {
    for (const id of [a, b, c]) await createProject(id);
    await follow({}, [inEu(a), inEu(c)]);
    follower.drop(inEu(a));
    await changeTimeout(a, 50);
    await applied(51);
    expect(known()).toEqual([c]);
  });
});
