import { account, caller, creator, history, listed, open, project, type Right, systemAdmin, systemReader } from './right.ts';

/**
 * Which operation needs what: every route of the API, below the prefix, and nowhere else. A route without a row is closed, and a test names it.
 * The project is the one that the path names: by its own id, or by the id of one of its tests or areas.
 */
export const rightsTable: Readonly<Record<string, Right>> = {
  'POST /authenticate': open,
  'GET /authenticate': caller,

  'POST /account/register': open,
  'POST /account/confirm': open,
  'GET /account/confirm': open,
  'POST /account/password/reset': open,
  'GET /account/password/reset': open,
  'POST /account/password': account,
  'GET /account': account,
  'PUT /account': account,
  'DELETE /account': account,
  'GET /account/tokens': account,
  'POST /account/tokens': account,
  'DELETE /account/tokens/:tid': account,
  'GET /account/channels': account,
  'GET /account/channels/:channel': account,
  'PUT /account/channels/:channel': account,
  'DELETE /account/channels/:channel': account,
  'POST /account/channels/:channel/test': account,
  'GET /account/deliveries': account,
  'POST /account/deliveries/:id/retry': account,
  'GET /accounts': systemAdmin,
  'PUT /accounts/:userId': systemAdmin,

  'POST /project/create': creator,
  'GET /project/create': creator,
  'GET /projects': caller,
  'GET /project/:id': listed('read'),
  'PUT /project/:id': listed('edit'),
  'DELETE /project/:id': listed('owner'),
  'POST /project/:id/transfer': project('owner'),

  'GET /project/:id/users': project('read'),
  'POST /project/:id/users': project('manageUsers'),
  'PUT /project/:id/users/:userId': project('manageUsers'),
  // Removing yourself needs `leave` only: the decision looks at who is named.
  'DELETE /project/:id/users': listed('member'),
  'GET /project/:id/roles': project('read'),
  'GET /project/:id/permissions': project('read'),
  'GET /project/:id/notifications': project('member'),
  'POST /project/:id/notifications': project('member'),

  'GET /project/:id/status': project('read'),
  'GET /project/:id/simple-status': project('read'),
  'GET /project/:id/responseTimes': project('read'),
  'GET /project/:id/uptime': project('read'),
  'GET /project/:id/maintenance': project('read'),
  'POST /project/:id/maintenance': project('edit'),
  'DELETE /project/:id/maintenance': project('edit'),
  'DELETE /project/:id/maintenance/:windowId': project('edit'),
  'GET /project/:id/uptime.svg': project('read'),
  'GET /project/:id/responseTimes.svg': project('read'),
  // The key in its link is the right to see it.
  'GET /project/:id/badge.svg': open,
  'GET /project/:id/badge': project('read'),
  'PUT /project/:id/badge': project('owner'),
  'GET /project/:id/areas': project('read'),
  'POST /project/:id/areas': project('editTests'),
  'GET /project/:id/tests': project('read'),
  'POST /project/:id/tests': project('editTests'),
  'POST /project/:id/try': project('editTests'),
  'GET /project/:id/jobs': project('read'),
  'GET /project/:id/job/:jobId/results': project('read'),
  'GET /project/:id/start': project('run'),
  'GET /project/:id/start/area/:areaId': project('run'),

  'POST /test': project('editTests'),
  'POST /tests': project('editTests'),
  'GET /test/:id': project('read'),
  'PUT /test/:id': listed('editTests'),
  'DELETE /test/:id': listed('editTests'),
  'GET /test/:id/results': project('read'),
  'POST /test/:id/what-if': project('read'),
  'GET /test/:id/uptime': project('read'),
  'GET /test/:id/corrections': project('read'),
  'POST /test/:id/corrections': project('edit'),
  'GET /tests/:id': project('read'),
  'PUT /tests/:id': listed('editTests'),
  'DELETE /tests/:id': listed('editTests'),
  'GET /tests/:id/results': project('read'),
  'POST /tests/:id/what-if': project('read'),
  'GET /tests/:id/uptime': project('read'),
  'GET /tests/:id/corrections': project('read'),
  'POST /tests/:id/corrections': project('edit'),
  'GET /area/:id': project('read'),
  'PUT /area/:id': listed('editTests'),
  'DELETE /area/:id': listed('editTests'),

  'GET /history': systemReader,
  'GET /project/:id/history': history,
  'GET /project/:id/history/export': history,
  'GET /project/:id/history/:eventId/chain': history,
  'GET /project/:id/history/:eventId/proof': history,
  'GET /project/:id/compare': project('read'),
  'GET /project/:id/live': project('read'),

  'GET /ledger/checkpoint': open,
  'GET /ledger/key': open,
  'GET /ledger/tile/*': open,
  'GET /ledger/tile/entries/*': systemReader,

  'GET /ops/projections': systemReader,
  'POST /ops/projections/:name/pause': systemAdmin,
  'POST /ops/projections/:name/resume': systemAdmin,
  'POST /ops/projections/:name/rebuild': systemAdmin,
  'GET /ops/projections/:name/parked': systemReader,
  'POST /ops/projections/:name/parked/:eventId/retry': systemAdmin,
  'POST /ops/projections/:name/parked/:eventId/skip': systemAdmin,

  'GET /openapi.json': open,
};

const PREFIX = '/api';

/** Names of parameters do not count, and HEAD is asked as GET. */
const keyOf = (method: string, path: string): string => `${method === 'HEAD' ? 'GET' : method} ${path.replace(/:\w+/g, ':')}`;

const byKey: ReadonlyMap<string, Right> = new Map(
  Object.entries(rightsTable).map(([operation, right]) => {
    const [method = '', path = ''] = operation.split(' ');
    return [keyOf(method, path), right];
  }),
);

/** Null: the route is not one of the API (health, metrics, documentation). Undefined: it has no row. */
export function rightOf(method: string, route: string): Right | null | undefined {
  if (!route.startsWith(`${PREFIX}/`)) return null;
  return byKey.get(keyOf(method, route.slice(PREFIX.length)));
}
