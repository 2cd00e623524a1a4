import type { EventType, LogEventOf } from '../../../events.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import { handledTypes } from './handled-types.ts';
import type { Column } from './columns.ts';

export type ScopeKind = 'project' | 'account' | 'system';

export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

type OneOf<Types extends EventType> = { [Type in Types]: LogEventOf<Type> }[Types];

/**
 * A text column of a view with one row a scope (its key is the id of the scope), computed from the rows of another view in that scope: the first of
 * `values` for which a row there has `<id of the scope>/<value>` in its indexed text column; null when none has. A trigger maintains it with the
 * rows that it depends on, in their statement; a fold computes it. Reads show it as a field of the row; it is no part of the document.
 */
export interface Summary {
  readonly of: View;
  readonly column: string;
  readonly values: readonly string[];
}

export type Summaries = Readonly<Record<string, Summary>>;

/** What an author writes: pure functions, without a clock, randomness or I/O. The handled events are the keys of `on`. */
export interface ViewDefinition<Row extends object, Handled extends EventType, Extras> {
  readonly name: string;
  /** Raise it with every change of a handler, of the row's shape or of a column: the view is filled again beside the old one. */
  readonly version: number;
  /** A row belongs to one project or account for ever; events of other kinds of scope never reach the view. */
  readonly scope: ScopeKind;
  /** The key of the row that an event changes, null for none. Two scopes never share a key. */
  key(event: OneOf<Handled>): string | null;
  /** The row after the event, null for none. The given row is frozen in tests: return a new one. */
  readonly on: { readonly [Type in Handled]: (row: Row | null, event: LogEventOf<Type>) => Row | null };
  readonly columns?: Extras;
  /** Each index covers several columns, of which one may be `scope`; the key follows. It serves pages in the order of its last column. */
  readonly indexes?: readonly (readonly string[])[];
  readonly summaries?: Summaries;
}

/** A view as the engine runs it: a pure fold from events to documents by key. */
export interface View<Row extends object = object, Extras = Columns<Row>> {
  readonly name: string;
  readonly version: number;
  readonly scope: ScopeKind;
  readonly handles: ReadonlySet<string>;
  readonly columns: Extras & Columns<Row>;
  readonly indexes: readonly (readonly string[])[];
  readonly summaries: Summaries | null;
  /** Null for events that the view does not handle. `key` and `evolve` expect today's shape of the event. */
  key(event: LogEvent): string | null;
  evolve(row: Row | null, event: LogEvent): Row | null;
}

/** The key of the row of a view that has one row of the whole installation. */
export const INSTALLATION = 'installation';

/** `defineView<Row>()({…})`: two calls, because TypeScript infers the handled events only if no other type argument is explicit. */
export const defineView =
  <Row extends object>() =>
  <Handled extends EventType, const Extras extends Columns<Row> = Record<never, never>>(
    definition: ViewDefinition<Row, Handled, Extras>,
  ): View<Row, Extras> => {
    const { name, version, scope, on } = definition;
    if (!/^[a-z][a-z0-9_]{0,40}$/.test(name))
      throw new Error(
        `view ${name}: a name consists of lower-case letters, digits and _, starts with a letter, and has at most 41 characters`,
      );
    if (!Number.isInteger(version) || version < 1) throw new Error(`view ${name}: the version must be an integer of at least 1`);
    const handles = handledTypes(name, on);
    const prefix = scope === 'system' ? 'system' : `${scope}-`;
    const inScope = (event: LogEvent): boolean => event.scope.startsWith(prefix);
    const isOurs = (event: LogEvent): event is OneOf<Handled> & LogEvent => handles.has(event.type) && inScope(event);
    return {
      name,
      version,
      scope,
      handles,
      columns: definition.columns ?? ({} as Extras),
      indexes: definition.indexes ?? [],
      summaries: definition.summaries ?? null,
      key: (event) => (isOurs(event) ? definition.key(event) : null),
      evolve: (row, event) => {
        if (!isOurs(event)) return row;
        // Cast: `on[event.type]` takes exactly this event by the mapped type above, which the compiler cannot follow.
        const handler = on[event.type] as unknown as (row: Row | null, event: LogEvent) => Row | null;
        return handler(row, event);
      },
    };
  };

/** The id in the event's scope: of the project for `project-<id>`, of the account for `account-<id>`. */
export const scopeId = (event: { readonly scope: string }): string => event.scope.slice(event.scope.indexOf('-') + 1);
