import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { projectSettings } from '../../../test/support/settings.ts';
import { until } from '../../../test/support/until.ts';
import { LocalWake } from '../../base/wake.ts';
import { ownContext } from '../../commands/context.ts';
import { Handling } from '../../commands/handle.ts';
import { create } from '../../domain/project/decisions.ts';
import { projectTarget } from '../../domain/project/project.ts';
import { MemoryEventStore } from '../../event-store/memory/memory-event-store.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { PlanKeeper, type PlanKeeperOptions } from './plan-keeper.ts';

let store: MemoryEventStore;
let log: MemoryLog;
let told: unknown[];
let keeper: PlanKeeper;
beforeEach(() => {
  const wake = new LocalWake();
  store = new MemoryEventStore({ now: () => 0 }, wake);
  log = new MemoryLog(store, wake);
  told = [];
});
afterEach(() => keeper.close());

async function createProject(projectId: string): Promise<void> {
  const wanted = { projectId, payerId: 1, settings: projectSettings, apiKey: { subject: 'project', sealed: '' }, preset: false };
  const context = ownContext({ kind: 'user', id: '1' }, 0);
  await new Handling(store, { check: () => undefined }).change(projectTarget(projectId), context, (project) => create(project, wanted));
}

async function follow(given: Partial<PlanKeeperOptions>): Promise<void> {
  keeper = new PlanKeeper({
    views: new MemoryViews(() => store.events),
    log,
    onChanged: () => undefined,
    onEvent: () => undefined,
    report: (error) => told.push(error),
    sleep: () => Promise.resolve(),
    ...given,
  });
  await keeper.start();
}

const knows = (...ids: readonly string[]): Promise<void> =>
  until(() => Promise.resolve(ids.every((id) => keeper.plan.get(id) !== undefined)), 2_000, `a plan with ${ids.join(' and ')}`);

it('loads what there is, and follows what comes', async () => {
  await createProject('a');
  await follow({});
  expect(keeper.plan.get('a')?.project.settings).toEqual(projectSettings);
  await createProject('b');
  await knows('a', 'b');
  expect(told).toEqual([]);
});

it('tells of a log that cannot be read, and reads on from where it was', async () => {
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

it('misses nothing behind an event that somebody could not take', async () => {
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
