import type { EventType, LogEventOf } from '../../../events.ts';
import { handledTypes } from './handled-types.ts';
import type { LogEvent } from '../../../kernel/event.ts';

/** What a handler works with: SQL in the transaction of its batch, in the schema of its projection. */
export interface ProjectionTx {
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Adds amounts to the counters of the row with that key, and creates the row if needed. The amounts of a batch are summed in memory and
   * written as one set: a rollup over a million events takes seconds. The key's columns need a primary key or unique constraint.
   */
  add(table: string, key: Readonly<Record<string, string | number | boolean>>, amounts: Readonly<Record<string, number>>): void;
}

type OneOf<Types extends EventType> = { [Type in Types]: LogEventOf<Type> }[Types];

export interface ProjectionDefinition<Handled extends EventType> {
  readonly name: string;
  /** Raise it with every change of a table or a handler: a schema of the new version is filled beside the old one. */
  readonly version: number;
  /** `CREATE TABLE …` and `CREATE INDEX …`, without a schema name. */
  readonly tables: readonly string[];
  /** When an event cannot be applied, later events of its partition wait and all others go on. Default: its project or account. */
  readonly partition?: (event: OneOf<Handled>) => string;
  readonly on: { readonly [Type in Handled]: (event: LogEventOf<Type>, tx: ProjectionTx) => Promise<unknown> | undefined | void };
}

/** A set projection as the engine runs it. */
export interface Projection {
  readonly kind: 'projection';
  readonly name: string;
  readonly version: number;
  readonly tables: readonly string[];
  readonly handles: ReadonlySet<string>;
  /** `partition` and `apply` expect an event that the projection handles, in today's shape. */
  partition(event: LogEvent): string;
  /** Undefined where the handler awaits nothing. Throws or rejects where it fails. */
  apply(event: LogEvent, tx: ProjectionTx): Promise<unknown> | undefined;
}

const RESERVED = /_v\d+$|_(next|replay|old)$|^core$/;

/** What is wrong with the name of a projection, null if nothing is: schemas are named after it. */
export const nameProblem = (name: string): string | null =>
  /^[a-z][a-z0-9_]{0,40}$/.test(name) && !RESERVED.test(name)
    ? null
    : `projection ${name}: a name consists of lower-case letters, digits and _, starts with a letter, has at most 41 characters, is not "core", and does not end in _next, _old, _replay, or _v and a number`;

/** A projection that writes its own SQL: rollups, joins, anything that is not one document per key. */
export function defineProjection<Handled extends EventType>(definition: ProjectionDefinition<Handled>): Projection {
  const { name, version, tables, on } = definition;
  const partition = definition.partition ?? (({ scope }: { readonly scope: string }) => scope);
  const problem = nameProblem(name);
  if (problem !== null) throw new Error(problem);
  if (!Number.isInteger(version) || version < 1) throw new Error(`projection ${name}: the version must be an integer of at least 1`);
  return {
    kind: 'projection',
    name,
    version,
    tables,
    handles: handledTypes(name, on),
    // Casts: the runner passes only events whose type is a key of `on`, which the compiler cannot know.
    partition: (event) => partition(event as unknown as OneOf<Handled>),
    apply: (event, tx) => {
      const handler = on[event.type as Handled] as unknown as (event: LogEvent, tx: ProjectionTx) => Promise<unknown> | undefined;
      const work = handler(event, tx);
      return work === undefined ? undefined : Promise.resolve(work);
    },
  };
}

export const isSetProjection = (candidate: Projection | object): candidate is Projection => 'kind' in candidate;
