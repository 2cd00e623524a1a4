import { describe, expect, it } from '@jest/globals';
import { tokenScopes } from '../accounts/token-scopes.ts';
import { HttpModule } from './http.module.ts';
import { apiRights, isApiOperation } from './api-rights.ts';
import type { Right } from '../accounts/rights/right.ts';
import { routesOf } from '../accounts/rights/routes-of.ts';
import { scopeOf } from '../accounts/rights/scopes.ts';

/** Every operation of the API with the right that it needs, written once more beside the decorators: a changed right shows in review. */
const expected = `
POST /authenticate = public
GET /authenticate = caller, any scope
DELETE /authenticate = account, also unconfirmed, any scope
GET /authenticate/providers = public
GET /authenticate/provider = public
GET /authenticate/provider/callback = public
POST /authenticate/provider/token = public
POST /batch = caller, any scope
POST /authenticate/provider/confirm = account, also unconfirmed
POST /authenticate/passkey/options = public
POST /authenticate/passkey = public
POST /authenticate/confirm/options = account
POST /authenticate/confirm = account
POST /session = public
POST /session/passkey = public
POST /session/provider = public
POST /session/link = public
POST /session/password = account, also unconfirmed
GET /session = account, also unconfirmed
DELETE /session = account, also unconfirmed, any scope
GET /account/second-factors = account
POST /account/second-factors/totp = account
POST /account/second-factors/totp/:id/confirm = account
POST /account/second-factors/passkeys/options = account
POST /account/second-factors/passkeys = account
POST /account/second-factors/recovery-codes = account
PUT /account/second-factors/:id = account
DELETE /account/second-factors/:id = account
GET /account/identities = account
DELETE /account/identities/:id = account
POST /account/register = public
POST /account/confirm = public
GET /account/confirm = public
POST /account/notification-email/confirm = public
GET /account/notification-email/confirm = public
POST /account/password/reset = public
GET /account/password/reset = public
POST /account/password = account
GET /account = account, also unconfirmed
PUT /account = account
PATCH /account = account
DELETE /account = account, also unconfirmed
GET /account/invitations = account
POST /account/invitations/:id/accept = account
POST /account/invitations/:id/decline = account
GET /account/transfers = account
POST /account/transfers/:id/accept = account
POST /account/transfers/:id/decline = account
GET /account/invitation = public
POST /account/invitation = public
GET /account/usage = account
GET /account/tokens = account
POST /account/tokens = account
GET /account/tokens/:tid/usage = account
DELETE /account/tokens/:tid = account
GET /account/channels = account
GET /account/channels/:channel = account
PUT /account/channels/:channel = account
DELETE /account/channels/:channel = account
DELETE /account/channels/:channel/previous-secrets = account
POST /account/channels/:channel/test = account
GET /account/deliveries = account
POST /account/deliveries/:id/retry = account
GET /accounts = system people
PUT /accounts/:userId = system people
GET /service-accounts = system people
POST /service-accounts = system people
GET /service-accounts/:sid = system people
PATCH /service-accounts/:sid = system people
DELETE /service-accounts/:sid = system people
GET /service-accounts/:sid/tokens = system people
POST /service-accounts/:sid/tokens = system people
DELETE /service-accounts/:sid/tokens/:tid = system people
GET /service-accounts/:sid/tokens/:tid/usage = system people
POST /project/create = creator
POST /projects/apply = caller
POST /projects/plan = caller
GET /project/create = creator
GET /projects = caller
GET /projects/figures = caller
GET /projects/marks = caller
GET /projects/overview = caller
GET /project/:id/overview = read
GET /project/:id = read, 404
PUT /project/:id = edit, 404
PATCH /project/:id = edit, 404
DELETE /project/:id = owner, 404
POST /project/:id/transfer = owner
GET /project/:id/transfer = owner
DELETE /project/:id/transfer = owner
GET /project/:id/users = read
POST /project/:id/users = manageUsers
PUT /project/:id/users/:userId = manageUsers
DELETE /project/:id/users = member, 404
GET /project/:id/service-accounts = manageUsers
POST /project/:id/service-accounts = manageUsers
GET /project/:id/service-accounts/:sid = manageUsers
PATCH /project/:id/service-accounts/:sid = manageUsers
DELETE /project/:id/service-accounts/:sid = manageUsers
GET /project/:id/service-accounts/:sid/tokens = manageUsers
POST /project/:id/service-accounts/:sid/tokens = manageUsers
DELETE /project/:id/service-accounts/:sid/tokens/:tid = manageUsers
GET /project/:id/service-accounts/:sid/tokens/:tid/usage = manageUsers
GET /project/:id/roles = read
GET /project/:id/permissions = read
GET /project/:id/notifications = member
POST /project/:id/notifications = member
GET /project/:id/status = read
GET /project/:id/simple-status = read
GET /project/:id/site = read
GET /project/:id/responseTimes = read
GET /project/:id/uptime = read
GET /project/:id/maintenance = read
POST /project/:id/maintenance = edit
DELETE /project/:id/maintenance = edit
DELETE /project/:id/maintenance/:windowId = edit
GET /project/:id/uptime.svg = read
GET /project/:id/responseTimes.svg = read
GET /project/:id/badge.svg = public
GET /project/:id/badge = read
PUT /project/:id/badge = owner
GET /project/:id/imported-uptime = read
PUT /project/:id/imported-uptime = edit
DELETE /project/:id/imported-uptime = edit
GET /project/:id/objective = read
PUT /project/:id/objective = edit
PATCH /project/:id/objective = edit
DELETE /project/:id/objective = edit
GET /project/:id/statement = read
GET /project/:id/areas = read
POST /project/:id/areas = editTests
GET /project/:id/tests = read
POST /project/:id/tests = editTests
POST /project/:id/try = editTests
GET /project/:id/jobs = read
GET /project/:id/job/:jobId/results = read
GET /project/:id/start = run
GET /project/:id/start/area/:areaId = run
POST /test = editTests
POST /tests = editTests
GET /test/:id = read
PUT /test/:id = editTests, 404
PATCH /test/:id = editTests, 404
DELETE /test/:id = editTests, 404
GET /test/:id/results = read
POST /test/:id/what-if = read
GET /test/:id/uptime = read
GET /test/:id/corrections = read
POST /test/:id/corrections = edit
GET /tests/:id = read
PUT /tests/:id = editTests, 404
PATCH /tests/:id = editTests, 404
DELETE /tests/:id = editTests, 404
GET /tests/:id/results = read
POST /tests/:id/what-if = read
GET /tests/:id/uptime = read
GET /tests/:id/corrections = read
POST /tests/:id/corrections = edit
GET /area/:id = read
PUT /area/:id = editTests, 404
PATCH /area/:id = editTests, 404
DELETE /area/:id = editTests, 404
GET /events = caller
GET /events/schemas = public
GET /events/schemas/:type/:version = public
GET /asyncapi.json = public
GET /project/:id/destinations = read
POST /project/:id/destinations = edit
GET /project/:id/destinations/:did = read
PUT /project/:id/destinations/:did = edit
PATCH /project/:id/destinations/:did = edit
DELETE /project/:id/destinations/:did = edit
POST /project/:id/destinations/:did/pause = edit
POST /project/:id/destinations/:did/resume = edit
POST /project/:id/destinations/:did/replay = edit
POST /project/:id/destinations/:did/test = edit
GET /project/:id/destinations/:did/parked = read
GET /destinations = system reader
POST /destinations = system admin
GET /destinations/:did = system reader
PUT /destinations/:did = system admin
PATCH /destinations/:did = system admin
DELETE /destinations/:did = system admin
POST /destinations/:did/pause = system admin
POST /destinations/:did/resume = system admin
POST /destinations/:did/replay = system admin
POST /destinations/:did/test = system admin
GET /destinations/:did/parked = system reader
GET /subscriptions = caller
GET /subscriptions/:name = caller
PUT /subscriptions/:name = caller
DELETE /subscriptions/:name = caller
POST /subscriptions/:name/read = caller
POST /subscriptions/:name/ack = caller
POST /subscriptions/:name/nack = caller
POST /subscriptions/:name/reset = caller
GET /subscriptions/:name/parked = caller
POST /subscriptions/:name/parked/replay = caller
DELETE /subscriptions/:name/parked/:position = caller
GET /status-pages = caller
POST /status-pages = caller
GET /status-pages/:id = caller
GET /status-pages/:id/file = caller
PUT /status-pages/:id = caller
PUT /status-pages/:id/hosts = system admin
DELETE /status-pages/:id = caller
GET /status-pages/:id/incidents = caller
POST /status-pages/:id/incidents = caller
PUT /status-pages/:id/incidents/:incidentId = caller
DELETE /status-pages/:id/incidents/:incidentId = caller
POST /status-pages/:id/incidents/:incidentId/publish = caller
POST /status-pages/:id/incidents/:incidentId/updates = caller
PUT /status-pages/:id/incidents/:incidentId/updates/:updateId = caller
GET /status-pages/:id/subscribers = caller
POST /status-pages/:id/subscribers/remove = caller
POST /status-pages/:id/subscribers/retry = caller
GET /history = system reader
GET /project/:id/history = read, after deletion
GET /project/:id/history/export = read, after deletion, scope export
GET /project/:id/history/:eventId/chain = read, after deletion
GET /project/:id/history/:eventId/proof = read, after deletion
GET /project/:id/history/:eventId/evidence = evidence, after deletion
GET /project/:id/history/:eventId/evidence/page = evidence, after deletion
GET /project/:id/compare = read
GET /project/:id/live = read, scope feed
GET /ledger/consistency = public
GET /witness/key = public
POST /witness/add-checkpoint = public
GET /ledger/checkpoint = public
GET /ledger/:number/checkpoint = public
GET /ledger/origins = public
GET /ledger/key = public
GET /ledger/tile/* = public
GET /ledger/:number/tile/* = public
GET /ledger/tile/entries/* = system reader
GET /ledger/:number/tile/entries/* = system reader
GET /ops/projections = system reader
GET /ops/installation = system reader
GET /ops/doctor = system admin
DELETE /ops/projections/:name = system admin
POST /ops/projections/:name/pause = system admin
POST /ops/projections/:name/resume = system admin
POST /ops/projections/:name/rebuild = system admin
GET /ops/projections/:name/parked = system reader
POST /ops/projections/:name/parked/:eventId/retry = system admin
POST /ops/projections/:name/parked/:eventId/skip = system admin
GET /ops/consumers = system reader
DELETE /ops/consumers/:name = system admin
POST /ops/consumers/:name/pause = system admin
POST /ops/consumers/:name/resume = system admin
GET /ops/consumers/:name/parked = system reader
POST /ops/consumers/:name/parked/:eventId/retry = system admin
POST /ops/consumers/:name/parked/:eventId/skip = system admin
GET /openapi.json = public
`;

function textOf(right: Right): string {
  if (right.kind === 'system') return `system ${right.who}`;
  if (right.kind === 'public' || right.kind === 'creator') return right.kind;
  const anyScope = right.scope === null ? ['any scope'] : [];
  if (right.kind === 'caller') return [right.kind, ...anyScope].join(', ');
  if (right.kind === 'account') return [right.kind, ...(right.unconfirmed ? ['also unconfirmed'] : []), ...anyScope].join(', ');
  const { needs, unknown, afterDeletion, scope } = right;
  const traits = [...(unknown === 404 ? ['404'] : []), ...(afterDeletion ? ['after deletion'] : [])];
  return [needs, ...traits, ...(scope === needs ? [] : [`scope ${scope}`])].join(', ');
}

describe('the rights of the API', () => {
  it('are stated by every route', () => {
    const routes = routesOf(HttpModule);
    expect(routes.length).toBeGreaterThan(70);
    expect(routes.filter(({ right }) => right === undefined).map(({ operation }) => operation)).toEqual([]);
  });

  it('are those of the table', () => {
    const found = Object.entries(apiRights).map(([operation, right]) => `${operation} = ${textOf(right)}`);
    expect(found.toSorted()).toEqual(expected.trim().split('\n').toSorted());
  });

  it('ask a narrowed token for a scope: each scope opens an operation, and only a token itself, and a batch, whose operations ask for theirs, need none', () => {
    const asked = Object.entries(apiRights).map(([operation, right]) => [operation, right.kind, scopeOf(right)] as const);
    expect(tokenScopes.filter((scope) => !asked.some(([, , one]) => one === scope))).toEqual([]);
    const open = asked.filter(([, kind, scope]) => kind !== 'public' && scope === null).map(([operation]) => operation);
    expect(open.toSorted()).toEqual(['DELETE /authenticate', 'DELETE /session', 'GET /authenticate', 'POST /batch']);
  });

  it('recognise an operation by its shape: any parameter name, and HEAD as GET', () => {
    expect(isApiOperation('HEAD /project/:projectId/users')).toBe(true);
    expect(isApiOperation('PATCH /project/:id/users')).toBe(false);
    expect(isApiOperation('GET /project/:id/sales')).toBe(false);
  });
});
