import { isKnown } from '../events.ts';
import { tokenScopes } from '../accounts/token-scopes.ts';
import type { Right } from '../accounts/rights/right.ts';
import { sqlType, type ColumnKind } from '../platform/read-models/authoring/columns.ts';
import { readInstant } from '../kernel/instants.ts';
import { nameProblem } from '../platform/read-models/authoring/define-projection.ts';
import type { ReactorStart } from './reactors/define-reactor.ts';

/** A projection of a package, as far as the service has to know it. */
export interface ProjectionShape {
  readonly kind: 'set' | 'view';
  readonly name: string;
  readonly version: number;
  readonly handles: readonly string[];
  /** The columns of a view beside its document, by name, and its indexes over several of them. */
  readonly columns: Readonly<Record<string, { readonly kind: ColumnKind; readonly indexed: boolean }>>;
  readonly indexes: readonly (readonly string[])[];
}

export interface RouteShape {
  /** Such as `GET /project/:id/failures-by-hour`. */
  readonly operation: string;
  /** Names of the controller's class and of its method. */
  readonly controller: string;
  readonly handler: string;
  /** Null when the route states none, and is closed. */
  readonly right: Right | null;
}

export interface ReactorShape {
  readonly name: string;
  readonly from: ReactorStart;
  readonly handles: readonly string[];
}

/** What the process of a package says about the package once it has loaded it. */
export interface Manifest {
  readonly projections: readonly ProjectionShape[];
  readonly reactors: readonly ReactorShape[];
  readonly routes: readonly RouteShape[];
}

/** The package says something about itself that the service does not accept. */
export class ManifestInvalid extends Error {
  override readonly name = 'ManifestInvalid';
}

/** Validates what the process of a package says: its names become names of schemas, columns and routes. */
export function readManifest(given: unknown): Manifest {
  const { projections, reactors, routes } = record(given, 'manifest');
  return {
    projections: list(projections, 'projections').map(projectionOf),
    reactors: list(reactors, 'reactors').map(reactorOf),
    routes: list(routes, 'routes').map(routeOf),
  };
}

function reactorOf(given: unknown): ReactorShape {
  const { name, from, handles } = record(given, 'reactor');
  const problem = nameProblem(text(name, 'name'));
  if (problem !== null) throw new ManifestInvalid(problem.replace(/^projection/, 'reactor'));
  return { name: text(name, 'name'), from: startOf(text(name, 'name'), from), handles: typesOf(`reactor ${text(name, 'name')}`, handles) };
}

function startOf(name: string, from: unknown): ReactorStart {
  if (from === 'now' || from === 'beginning') return from;
  if (typeof from === 'number' && Number.isSafeInteger(from) && from >= -1) return from;
  const read = typeof from === 'string' ? readInstant(from) : null;
  if (read === null || read.kind === 'invalid')
    throw new ManifestInvalid(`reactor ${name}: "from" must be 'now', 'beginning', a position of the log or an ISO 8601 instant`);
  return read.utc;
}

function typesOf(of: string, handles: unknown): readonly string[] {
  const types = list(handles, 'handles').map((type) => text(type, 'event type'));
  const unknown = types.find((type) => !isKnown(type));
  if (unknown !== undefined) throw new ManifestInvalid(`${of}: "${unknown}" is not an event type`);
  return types;
}

function projectionOf(given: unknown): ProjectionShape {
  const { kind, name, version, handles, columns, indexes } = record(given, 'projection');
  const problem = nameProblem(text(name, 'name'));
  if (problem !== null) throw new ManifestInvalid(problem);
  if (kind !== 'set' && kind !== 'view') throw new ManifestInvalid(`projection ${text(name, 'name')}: its kind is unknown`);
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1 || version > 1_000_000)
    throw new ManifestInvalid(`projection ${text(name, 'name')}: its version must be an integer from 1 to 1000000`);
  return {
    kind,
    name: text(name, 'name'),
    version,
    handles: typesOf(`projection ${text(name, 'name')}`, handles),
    columns: Object.fromEntries(Object.entries(record(columns, 'columns')).map(([column, of]) => [columnName(column), columnOf(of)])),
    indexes: list(indexes, 'indexes').map((names) => list(names, 'index').map((column) => columnName(text(column, 'column')))),
  };
}

function columnOf(given: unknown): ProjectionShape['columns'][string] {
  const { kind, indexed } = record(given, 'column');
  if (typeof kind !== 'string' || !isColumnKind(kind)) throw new ManifestInvalid(`a column of the unknown kind ${String(kind)}`);
  return { kind, indexed: indexed === true };
}

const isColumnKind = (kind: string): kind is ColumnKind => Object.hasOwn(sqlType, kind);

function columnName(name: string): string {
  if (!/^[a-z][a-z0-9_]{0,62}$/i.test(name)) throw new ManifestInvalid(`"${name}" is not a valid column name (letters, digits and _)`);
  return name;
}

function routeOf(given: unknown): RouteShape {
  const { operation, controller, handler, right } = record(given, 'route');
  const shape = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|ALL) \/[\w\-/:*.~]{0,500}$/;
  if (!shape.test(text(operation, 'operation')))
    throw new ManifestInvalid(`${text(operation, 'operation')} cannot be a route of a package`);
  return {
    operation: text(operation, 'operation'),
    controller: text(controller, 'controller'),
    handler: text(handler, 'handler'),
    right: right === null || right === undefined ? null : rightOf(right),
  };
}

const NEEDS = ['read', 'run', 'editTests', 'edit', 'manageUsers', 'member', 'owner', 'evidence'] as const;

function rightOf(given: unknown): Right {
  const { kind, who, needs, unknown, afterDeletion, withFacts, scope } = record(given, 'right');
  switch (kind) {
    case 'public':
    case 'creator':
      return { kind };
    case 'account':
      return { kind, unconfirmed: false, enrolling: false, scope: 'account' };
    case 'caller':
      return { kind, scope: oneOf(['read', 'edit', 'feed', null], scope) };
    case 'system':
      return { kind, who: oneOf(['admin', 'reader', 'people'], who) };
    case 'project':
      return {
        kind,
        needs: oneOf(NEEDS, needs),
        unknown: unknown === 404 ? 404 : 403,
        afterDeletion: afterDeletion === true,
        withFacts: withFacts === true,
        scope: oneOf(tokenScopes, scope),
      };
    default:
      throw new ManifestInvalid(`a route states the unknown right ${JSON.stringify(given).slice(0, 100)}`);
  }
}

function oneOf<const Value>(known: readonly Value[], given: unknown): Value {
  const found = known.find((value) => value === given);
  if (found === undefined) throw new ManifestInvalid(`${String(given)} is none of ${known.map(String).join(', ')}`);
  return found;
}

const record = (given: unknown, what: string): Readonly<Record<string, unknown>> => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new ManifestInvalid(`${what}: not an object`);
  return { ...given };
};

const list = (given: unknown, what: string): readonly unknown[] => {
  if (!Array.isArray(given) || given.length > 1_000) throw new ManifestInvalid(`${what}: not a list of at most 1000`);
  return given;
};

const text = (given: unknown, what: string): string => {
  if (typeof given !== 'string' || given.length > 1_000) throw new ManifestInvalid(`${what}: not a text of at most 1000 characters`);
  return given;
};
