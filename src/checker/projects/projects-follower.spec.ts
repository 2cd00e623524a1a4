import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { until } from '../../../test/support/until.ts';
import { LogReplaced } from '../../log/log.ts';
import { LocalWake } from '../../persistence/wake.ts';
import { systemContext } from '../../commands/context.ts';
import { CommandRunner } from '../../commands/command-runner.ts';
import { publicArea } from '../../domain/area/settings.ts';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { presetChecks } from '../../domain/check/preset.ts';
import { create } from '../../domain/project/decisions.ts';
import { projectTarget } from '../../domain/project/project.ts';
import { MemoryEventStore } from '../../event-store/memory/memory-event-store.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { Columns, View } from '../../projections/authoring/define-view.ts';
import { KeyParked, type ListQuery, type Views } from '../../projections/views/views.ts';
import { ProjectsFollower, type ProjectsFollowerOptions } from './projects-follower.ts';

let store: MemoryEventStore;
let log: MemoryLog;
let told: unknown[];
let follower: ProjectsFollower;
beforeEach(() => {
  const wake = new LocalWake();
  store = new MemoryEventStore({ now: () => 0 }, wake);
  log = new MemoryLog(store, wake);
  told = [];
});
afterEach(() => follower.close());

async function createProject(projectId: string): Promise<void> {
  const wanted = { projectId, payerId: 1, settings: projectSettings, apiKey: { subject: 'project', sealed: '' }, preset: false };
  const context = systemContext({ kind: 'user', id: '1' }, 0);
  await new CommandRunner(store).run(projectTarget(projectId), context, (project) => create(project, wanted));
}

async function follow(given: Partial<ProjectsFollowerOptions>): Promise<void> {
  follower = new ProjectsFollower({
    views: new MemoryViews(() => store.events),
    log,
    onChanged: () => undefined,
    onEvent: () => undefined,
    report: (error) => told.push(error),
    sleep: () => new Promise((resolve) => setTimeout(resolve, 1)),
    ...given,
  });
  await follower.start();
}

const knows = (...ids: readonly string[]): Promise<void> =>
  until(() => Promise.resolve(ids.every((id) => follower.projects.get(id) !== undefined)), 2_000, `projects ${ids.join(' and ')}`);

it('loads the existing projects and follows the log', async () => {
  await createProject('a');
  await new CommandRunner(store).run(checklistTarget('a'), systemContext({ kind: 'user', id: '1' }, 0), () =>
    presetChecks('https://example.com', ['group', 'one', 'two', 'three', 'four']),
  );
  await follow({});
  expect(follower.projects.get('a')?.project.settings).toEqual(projectSettings);
  expect([...(follower.projects.get('a')?.areas.values() ?? [])].map(({ id, settings }) => [id, settings])).toEqual([
    ['group', publicArea],
  ]);
  expect(new Set(follower.projects.get('a')?.checks.keys())).toEqual(new Set(['one', 'two', 'three', 'four']));
  await createProject('b');
  await knows('a', 'b');
  expect(told).toEqual([]);
});

it('reports an unreadable log and continues from the last position', async () => {
  const damaged = new Error('an event is missing');
  let troubles = 2;
  await follow({
    log: {
      follow: (after, signal) => {
        if (troubles-- > 0) throw damaged;
        return log.follow(after, signal);
      },
    },
  });
  await createProject('a');
  await knows('a');
  expect(told).toEqual([damaged, damaged]);
});

it('goes on after an event that a listener rejects', async () => {
  const seen: string[] = [];
  const spoilt = new Error('spoilt');
  await follow({
    onEvent: ({ stream }) => {
      if (stream === 'project-a') throw spoilt;
      seen.push(stream);
    },
  });
  await createProject('a');
  await createProject('b');
  await knows('a', 'b');
  await until(() => Promise.resolve(seen.length > 0), 2_000);
  expect([seen, told]).toEqual([['project-b'], [spoilt]]);
});

/** Shows a project as parked until it is mended: its row is as it was at its creation. */
function parkedViews(projectId: string): { readonly views: Views; mended: boolean } {
  const now = new MemoryViews(() => store.events);
  const state = { mended: false, views: now as Views };
  const before = new MemoryViews(() =>
    store.events.filter(({ stream, type }) => stream !== `project-${projectId}` || type === 'ProjectCreated'),
  );
  state.views = new Proxy(now, {
    get: (target, name) => {
      if (state.mended) return Reflect.get(target, name) as unknown;
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
  await createProject('a');
  await createProject('b');
  await new CommandRunner(store).run(projectTarget('a'), systemContext({ kind: 'user', id: '1' }, 0), () => [
    { type: 'TimeoutChanged' as const, data: { from: projectSettings.timeout, to: 60 } },
  ]);
  const changed: string[] = [];
  const parked = parkedViews('a');
  await follow({
    views: parked.views,
    onChanged: (projectId) => changed.push(projectId),
    sleep: (_, signal) => new Promise((resolve) => (signal.aborted ? resolve() : setTimeout(resolve, 5))),
  });
  await knows('a', 'b');
  expect(follower.projects.get('a')?.project.settings.timeout).toBe(projectSettings.timeout);
  parked.mended = true;
  await until(() => Promise.resolve(follower.projects.get('a')?.project.settings.timeout === 60), 2_000);
  expect([changed, told]).toEqual([['a'], []]);
});

const slowTo = (projectId: string, seconds: number): Promise<unknown> =>
  new CommandRunner(store).run(projectTarget(projectId), systemContext({ kind: 'user', id: '1' }, 0), () => [
    { type: 'TimeoutChanged' as const, data: { from: projectSettings.timeout, to: seconds } },
  ]);
const timeoutOf = (projectId: string): number | undefined => follower.projects.get(projectId)?.project.settings.timeout;

/** Answers what there is when it is asked, but once it is `held` only after `go`. */
class Delayed {
  held = false;
  asked = 0;
  readonly views: Views;
  private waiting: (() => void)[] = [];

  constructor(views: Views) {
    this.views = new Proxy(views, {
      get: (target, name) =>
        name === 'get' && this.held
          ? async (view: View, key: string) => this.later(await target.get(view, key))
          : (Reflect.get(target, name) as unknown),
    });
  }

  go(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  private async later<Row>(row: Row): Promise<Row> {
    this.asked++;
    await new Promise<void>((go) => this.waiting.push(go));
    return row;
  }
}

it('replaces its projects when the log is replaced by another history', async () => {
  await createProject('a');
  await createProject('b');
  await createProject('gone');
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
  await slowTo('b', 50);
  await until(() => Promise.resolve(timeoutOf('b') === 50), 10_000, 'it hears of the change');
  // A standby took over that lacked the last moment, and others wrote since.
  const standby = new MemoryEventStore({ now: () => 0 }, wake);
  const former = store.events;
  store = standby;
  for (const event of former.slice(0, 2))
    await standby.append(event.stream, event.revision === 0 ? 'no stream' : event.revision - 1, [event]);
  for (const id of ['c', 'd', 'e']) await createProject(id);
  current = standby;
  wake.ring('log');
  await knows('c', 'd', 'e');
  await until(() => Promise.resolve(follower.projects.get('gone') === undefined), 10_000, 'it forgets what is gone');
  await until(() => Promise.resolve(timeoutOf('b') === projectSettings.timeout), 10_000, 'it forgets the change');
  expect(told).toEqual([expect.any(LogReplaced)]);
});

it('does not overwrite newer events with a slow reload', async () => {
  await createProject('a');
  const parked = parkedViews('a');
  const reading = new Delayed(new MemoryViews(() => store.events));
  await follow({
    views: new Proxy(parked.views, { get: (_, name) => Reflect.get(parked.mended ? reading.views : parked.views, name) as unknown }),
  });
  reading.held = true;
  parked.mended = true;
  await until(() => Promise.resolve(reading.asked === 1), 10_000, 'it reads the project again');
  await slowTo('a', 50);
  await until(() => Promise.resolve(timeoutOf('a') === 50), 10_000, 'it hears of the change');
  reading.go();
  await until(() => Promise.resolve(reading.asked === 2), 10_000, 'it reads the project once more');
  expect(timeoutOf('a')).toBe(50);
  reading.go();
  expect(told).toEqual([]);
});

it('waits until the read models have what it heard', async () => {
  await createProject('a');
  const parked = parkedViews('a');
  let shown = Infinity;
  let asked = 0;
  const late = new MemoryViews(() => store.events.slice(0, shown));
  const views = new Proxy(late, {
    get: (target, name) => {
      if (!parked.mended) return Reflect.get(parked.views, name) as unknown;
      if (name === 'get') asked++;
      return Reflect.get(target, name) as unknown;
    },
  });
  await follow({ views });
  shown = store.events.length;
  await slowTo('a', 50);
  await until(() => Promise.resolve(timeoutOf('a') === 50), 10_000, 'it hears of the change');
  parked.mended = true;
  await until(() => Promise.resolve(asked > 2), 10_000, 'it looks, and looks again');
  expect(timeoutOf('a')).toBe(50);
  shown = Infinity;
  const before = asked;
  await until(() => Promise.resolve(asked > before), 10_000);
  expect([timeoutOf('a'), told]).toEqual([50, []]);
});
