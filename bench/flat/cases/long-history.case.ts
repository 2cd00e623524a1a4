import { CommandRunner } from '../../../src/platform/commands/command-runner.ts';
import { systemContext } from '../../../src/platform/commands/context.ts';
import { PostgresStreamSnapshots } from '../../../src/platform/commands/snapshots/postgres-stream-snapshots.ts';
import { projectStream } from '../../../src/kernel/stream-names.ts';
import { changeSettings } from '../../../src/projects/project.decider.ts';
import { projectTarget } from '../../../src/projects/project.state.ts';
import { CompareReading } from '../../../src/history/compare/compare-reading.ts';
import { maintenanceView } from '../../../src/projects/maintenance/maintenance.view.ts';
import { projectView } from '../../../src/projects/project.view.ts';
import { uptimeDaysView } from '../../../src/watches/uptime/uptime-days.view.ts';
import { SnapshotLoop } from '../../../src/platform/read-models/views/snapshot-loop.ts';
import type { FlatCase } from '../flat-case.ts';
import { type LongProject, longProject } from '../long-project.ts';
import type { FlatDatabase } from '../flat-database.ts';
import { folds } from '../../../src/app/folds.ts';

/** A snapshot is made every 2,000 events: the last event has one, and the page before it begins as far behind one as possible. */
const SIZES = [4_000, 200_000];
const PAGE = 500;

const asOf = (name: string, read: (database: FlatDatabase, project: LongProject) => Promise<unknown>): FlatCase => ({
  name,
  over: 'events',
  sizes: SIZES,
  atMost: 60,
  prepare: async (database, size) => {
    const project = await longProject(database, size);
    return () => read(database, project);
  },
});

const readProject = async ({ views }: FlatDatabase, { projectId, last }: LongProject): Promise<void> => {
  const [item] = await views.asOf(last).list(projectView, { scope: projectStream(projectId) });
  if (item?.row.settings.title.startsWith('Title ') !== true) throw new Error('folded to something else');
};

/** What `GET /project/{id}/uptime` reads of the log. */
const readReport = async ({ views }: FlatDatabase, { projectId, last }: LongProject): Promise<void> => {
  const [then, scope] = [views.asOf(last), projectStream(projectId)];
  const read = await Promise.all([then.list(uptimeDaysView, { scope }), then.list(maintenanceView, { scope })]);
  if (read.flat().length > 0) throw new Error('folded to something else');
};

/** What `GET /project/{id}/compare?limit=500` reads for its last page. */
const comparePage = async ({ views, log }: FlatDatabase, { projectId, last }: LongProject): Promise<void> => {
  const reading = new CompareReading(log);
  const begin = last - PAGE;
  await reading.endOfPage(projectId, begin, last, PAGE);
  const instant = (n: number) => ({ n, at: Date.now(), views: views.asOf(n) });
  const [title] = await reading.changes(projectId, instant(begin), instant(last));
  if (title?.events.length !== PAGE) throw new Error('compared to something else');
};

const checksAsOf: FlatCase = {
  name: 'GET /project/{id}?asOf=, the newest event',
  over: 'checks',
  calls: 5,
  atMost: 60,
  prepare: async (database, size) => {
    const [scope, { views, head, unit, log, pool }] = [projectStream(database.projectOfChecks(size)), database];
    await new SnapshotLoop({ unit, log, db: pool }).extend(scope);
    return async () => {
      const [item] = await views.asOf(head).list(projectView, { scope });
      if (item === undefined) throw new Error('folded to nothing');
    };
  },
};

/** Every call is the first of a process: nothing is cached. */
const firstWrite: FlatCase = {
  name: 'PUT /project/{id}, the first write after a start',
  over: 'events',
  sizes: SIZES,
  atMost: 50,
  prepare: async (database, size) => {
    const { projectId } = await longProject(database, size);
    const { pool, store } = database;
    let calls = 0;
    return async () => {
      const runner = new CommandRunner(store, { snapshots: new PostgresStreamSnapshots(pool, store, folds) });
      const context = systemContext({ kind: 'cli', id: 'bench' }, Date.now());
      await runner.run(projectTarget(projectId), context, (project) => changeSettings(project, { delay: ++calls % 100 }, 1));
    };
  },
};

export default [
  asOf('GET /project/{id}?asOf=', readProject),
  asOf('GET /project/{id}/uptime?asOf=', readReport),
  asOf('GET /project/{id}/compare?limit=500', comparePage),
  checksAsOf,
  firstWrite,
];
