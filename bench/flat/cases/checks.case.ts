import { AreaFactsReader } from '../../../src/http/area/area-facts.ts';
import { AreaReading } from '../../../src/http/area/area-reading.ts';
import { FormHtml } from '../../../src/http/area/form-html.ts';
import { CheckFactsReader } from '../../../src/http/check/check-facts.ts';
import { CheckReading } from '../../../src/http/check/check-reading.ts';
import { SavedHeaders } from '../../../src/http/check/saved-headers.ts';
import type { ListDefinition } from '../../../src/http/lists/list.ts';
import { readListRequest } from '../../../src/http/lists/list-request.ts';
import { operationTable } from '../../../src/http/description/operation-table.ts';
import { StatusReading } from '../../../src/http/status/status-reading.ts';
import { FormHtmlStore } from '../../../src/observations/forms/form-html-store.ts';
import { PostgresRuns } from '../../../src/observations/runs/postgres-runs.ts';
import { projectView, type ProjectRow } from '../../../src/projections/read-models/project/project.view.ts';
import { PostgresKeyring } from '../../../src/security/keyring/postgres-keyring.ts';
import { masterKeys } from '../../../test/support/master-keys.ts';
import type { FlatCase } from '../flat-case.ts';
import type { FlatDatabase } from '../flat-database.ts';

interface Readings {
  readonly areas: AreaReading;
  readonly checks: CheckReading;
  readonly status: StatusReading;
}

function readingsOf({ pool, views }: FlatDatabase): Readings {
  const keyring = new PostgresKeyring(pool, masterKeys(pool, Buffer.alloc(32, 1)));
  const headers = new SavedHeaders(keyring);
  const html = new FormHtml(new FormHtmlStore(pool), keyring);
  const runs = new PostgresRuns(pool);
  const facts = new CheckFactsReader(runs);
  const checks = new CheckReading(views, headers, facts);
  return {
    areas: new AreaReading(views, headers, new AreaFactsReader(views), html),
    checks,
    status: new StatusReading(views, checks, facts, runs),
  };
}

const listOf = (path: string): ListDefinition => {
  const list = operationTable[`GET ${path}`]?.list;
  if (list === undefined) throw new Error(`${path} is no list`);
  return list;
};

type Call = (readings: Readings, project: ProjectRow, request: ReturnType<typeof readListRequest>) => Promise<unknown>;

const list = (path: string, query: Readonly<Record<string, string>>, call: Call, sizes: FlatCase['sizes'] = [1, 100, 2_000]): FlatCase => ({
  name: `GET ${path}?${new URLSearchParams(query).toString()}`,
  over: 'checks',
  sizes,
  calls: 30,
  prepare: async (database, checks) => {
    const readings = readingsOf(database);
    const project = await database.views.now().get(projectView, database.projectOfChecks(checks));
    if (project === null) throw new Error('found no project');
    const request = readListRequest(listOf(path), query, []);
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
