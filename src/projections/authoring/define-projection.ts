import type { EventType, LogEventOf } from '../../domain/events.ts';
import { handledTypes } from './handled-types.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** All that a handler can do: SQL in the transaction of its batch, in the schema of its projection. */
export interface ProjectionTx {
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Adds amounts to the counters of the row with that key, which is made when it is missing. The kit sums up a batch in memory and writes
   * one set: a rollup over a million events is a matter of seconds. The key's columns need a primary key or unique constraint.
   */
  add(table: string, key: Readonly<Record<string, string | number | boolean>>, amounts: Readonly<Record<string, number>>): void;
}

type OneOf<Types extends EventType> = { [Type in Types]: LogEventOf<Type> }[Types];

export interface ProjectionDefinition<Handled extends EventType> {
  readonly name: string;
  /** Raise it with every change of a table or a handler: a schema of the new version is filled beside the old one. */
  readonly version: number;
  /** `CREATE TABLE …` and `CREATE INDEX …`, without a schema's name. */
  readonly tables: readonly string[];
  /** What an event that cannot be taken holds up: later events of its partition wait, all others go on. Default: its project or account. */
  readonly partition?: (event: OneOf<Handled>) => string;
  readonly on: { readonly [Type in Handled]: (event: LogEventOf<Type>, tx: ProjectionTx) => Promise<unknown> | undefined | void };
}

/** A set projection as the kit sees it. */
export interface Projection {
  readonly kind: 'projection';
  readonly name: string;
  readonly version: number;
  readonly tables: readonly string[];
  readonly handles: ReadonlySet<string>;
  /** Expects an event that it handles, in today's shape, as does `apply`. */
  partition(event: LogEvent): string;
  apply(event: LogEvent, tx: ProjectionTx): Promise<void>;
}

const RESERVED = /_v\d+$|_(next|replay|old)$|^core$/;

/** Why a projection cannot be called that, null when it can: schemas are named after it. */
export const wrongName = (name: string): string | null =>
  /^[a-z][a-z0-9_]{0,40}$/.test(name) && !RESERVED.test(name)
    ? null
    : `projection ${name}: a name is lower-case letters, digits and _, begins with a letter, has at most 41, is not "core", and does not end in _next, _old, _replay, or _v and a number`;

/** A projection that writes SQL of its own: rollups, joins, whatever is no document by key. */
export function defineProjection<Handled extends EventType>(definition: ProjectionDefinition<Handled>): Projection {
  const { name, version, tables, on } = definition;
  const partition = definition.partition ?? (({ scope }: { readonly scope: string }) => scope);
  const wrong = wrongName(name);
  if (wrong !== null) throw new Error(wrong);
  if (!Number.isInteger(version) || version < 1) throw new Error(`projection ${name}: the version is an integer from 1 on`);
  return {
    kind: 'projection',
    name,
    version,
    tables,
    handles: handledTypes(name, on),
    // The runner passes only events that are named in `on`; the compiler cannot follow that.
    partition: (event) => partition(event as unknown as OneOf<Handled>),
    apply: async (event, tx) => {
      const handler = on[event.type as Handled] as unknown as (event: LogEvent, tx: ProjectionTx) => Promise<unknown> | undefined;
      await handler(event, tx);
    },
  };
}
