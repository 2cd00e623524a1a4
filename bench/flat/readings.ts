import { AreaFactsReader } from '../../src/checker/status/area-facts.ts';
import { AreaReading } from '../../src/projects/areas/area-reading.ts';
import { FormHtml } from '../../src/projects/areas/form-html.ts';
import { CheckFactsReader } from '../../src/checker/status/check-facts.ts';
import { CheckReading } from '../../src/projects/checks/check-reading.ts';
import { SavedHeaders } from '../../src/projects/checks/saved-headers.ts';
import { operationTable } from '../../src/app/operation-table.ts';
import type { ListRequest } from '../../src/platform/http/lists/list.ts';
import { readListRequest } from '../../src/platform/http/lists/list-request.ts';
import { StatusReading } from '../../src/checker/status/status-reading.ts';
import { FormHtmlStore } from '../../src/platform/observations/forms/form-html-store.ts';
import { PostgresRuns } from '../../src/platform/observations/runs/postgres-runs.ts';
import type { ViewsAt } from '../../src/platform/read-models/views/views.ts';
import { PostgresKeyring } from '../../src/platform/security/keyring/postgres-keyring.ts';
import { masterKeys } from '../../test/support/master-keys.ts';
import type { FlatDatabase } from './flat-database.ts';

/** What answers the lists of a project. */
export interface Readings {
  readonly areas: AreaReading;
  readonly checks: CheckReading;
  readonly status: StatusReading;
}

export function readingsOf({ pool }: FlatDatabase, views: ViewsAt): Readings {
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

/** As a client asks for it. */
export function listRequest(path: string, query: Readonly<Record<string, string>>): ListRequest {
  const list = operationTable[`GET ${path}`]?.list;
  if (list === undefined) throw new Error(`${path} is no list`);
  return readListRequest(list, query, []);
}
