import { projectView, type ProjectRow } from '../../../src/projects/project.view.ts';
import type { FlatCase } from '../flat-case.ts';
import { listRequest, type Readings, readingsOf } from '../readings.ts';

type Call = (readings: Readings, project: ProjectRow, request: ReturnType<typeof listRequest>) => Promise<unknown>;

const list = (path: string, query: Readonly<Record<string, string>>, call: Call, sizes: FlatCase['sizes'] = [1, 100, 2_000]): FlatCase => ({
  name: `GET ${path}?${new URLSearchParams(query).toString()}`,
  over: 'checks',
  sizes,
  calls: 30,
  prepare: async (database, checks) => {
    const readings = readingsOf(database, database.views);
    const project = await database.views.now().get(projectView, database.projectOfChecks(checks));
    if (project === null) throw new Error('found no project');
    const request = listRequest(path, query);
    return () => call(readings, project, request);
  },
});

/** Pages of one test, so that all sizes answer the same amount. */
const cases: readonly FlatCase[] = [
  list('/project/:id/areas', {}, ({ areas }, project, request) => areas.ofProject(project, request)),
  list('/project/:id/tests', { limit: '1' }, ({ checks }, project, request) => checks.ofProject(project, request)),
  list('/project/:id/tests', { limit: '1', sort: '-name' }, ({ checks }, project, request) => checks.ofProject(project, request)),
  list('/project/:id/tests', { limit: '1', status: 'ok' }, ({ checks }, project, request) => checks.ofProject(project, request)),
  list('/project/:id/tests', { limit: '1', status: 'timeout' }, ({ checks }, project, request) => checks.ofProject(project, request)),
  list('/project/:id/status', { limit: '1' }, ({ status }, project, request) => status.summary(project, 0, request)),
  list('/project/:id/simple-status', { limit: '1' }, ({ status }, project, request) => status.simple(project, request)),
];
export default cases;
