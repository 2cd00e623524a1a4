import { HttpModule } from './http.module.ts';
import { openRight, type Right } from '../accounts/rights/right.ts';
import { routesOf } from '../accounts/rights/routes-of.ts';
import type { Thing } from '../platform/http/conditions/thing.ts';

/** The right of every operation of the service, such as `GET /project/:id`, as its route states it. A closed route is missing. */
export const apiRights: Readonly<Record<string, Right>> = {
  ...Object.fromEntries(routesOf(HttpModule).flatMap(({ operation, right }) => (right === undefined ? [] : [[operation, right]]))),
  // Served beside the controllers.
  'GET /openapi.json': openRight,
};

/** The operations that need a recent sign-in, or the password. */
export const recentSignInOperations: ReadonlySet<string> = new Set(
  routesOf(HttpModule).flatMap(({ operation, needsRecentSignIn }) => (needsRecentSignIn ? [operation] : [])),
);

/** What the operations with `If-Match` compare. */
export const matchedOperations: ReadonlyMap<string, Thing> = new Map(
  routesOf(HttpModule).flatMap(({ operation, matches }) => (matches === undefined ? [] : [[operation, matches] as const])),
);

/** Without the names of parameters, and HEAD as GET: what the router cannot tell apart. */
const shapeOf = (operation: string): string => operation.replace(/^HEAD /, 'GET ').replace(/:\w+/g, ':');

const shapes: ReadonlySet<string> = new Set(Object.keys(apiRights).map(shapeOf));

/** Whether the service itself answers this operation, which therefore no package of a team may. */
export const isApiOperation = (operation: string): boolean => shapes.has(shapeOf(operation));
