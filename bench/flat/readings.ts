import { AreaFactsReader } from '../../src/http/area/area-facts.ts';
import { AreaReading } from '../../src/http/area/area-reading.ts';
import { FormHtml } from '../../src/http/area/form-html.ts';
import { CheckFactsReader } from '../../src/http/check/check-facts.ts';
import { CheckReading } from '../../src/http/check/check-reading.ts';
import { SavedHeaders } from '../../src/http/check/saved-headers.ts';
import { operationTable } from '../../src/http/description/operation-table.ts';
import type { ListRequest } from '../../src/http/lists/list.ts';
import { readListRequest } from '../../src/http/lists/list-request.ts';
import { StatusReading } from '../../src/http/status/status-reading.ts';
import { FormHtmlStore } from '../../src/observations/forms/form-html-store.ts';
import { PostgresRuns } from '../../src/observations/runs/postgres-runs.ts';
import type { ViewsAt } from '../../src/projections/views/views.ts';
import { PostgresKeyring } from '../../src/security/keyring/postgres-keyring.ts';
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
