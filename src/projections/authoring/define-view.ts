import type { EventType, LogEventOf } from '../../domain/events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { handledTypes } from './handled-types.ts';
import type { Column } from './columns.ts';

export type ScopeKind = 'project' | 'account' | 'system';

export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

type OneOf<Types extends EventType> = { [Type in Types]: LogEventOf<Type> }[Types];

/** What an author writes. The handled events are the keys of `on`; nothing here looks at a clock, a table or the world. */
export interface ViewDefinition<Row extends object, Handled extends EventType, Extras> {
  readonly name: string;
  /** Raise it with every change of a handler, of the row's shape or of a column: the view is filled again beside the old one. */
  readonly version: number;
  /** A row belongs to one project or account for ever; events of other kinds of scope never reach the view. */
  readonly scope: ScopeKind;
  /** The row that an event belongs to, null when it is of no interest. Several scopes never share a key. */
  key(event: OneOf<Handled>): string | null;
  /** The row after the event; null: there is none (any more). The given row is frozen in tests: answer a new one. */
  readonly on: { readonly [Type in Handled]: (row: Row | null, event: LogEventOf<Type>) => Row | null };
  readonly columns?: Extras;
}

/** A view as the kit sees it: a pure fold from events to documents by key. */
export interface View<Row extends object = object, Extras = Columns<Row>> {
  readonly name: string;
  readonly version: number;
  readonly scope: ScopeKind;
  readonly handles: ReadonlySet<string>;
  readonly columns: Extras & Columns<Row>;
  /** Null for events that the view does not handle. Expects today's shape of the event. */
  key(event: LogEvent): string | null;
  evolve(row: Row | null, event: LogEvent): Row | null;
}

/** `defineView<Row>()({…})`: twice called, because TypeScript infers the handled events only where no type is given by hand. */
export const defineView =
  <Row extends object>() =>
  <Handled extends EventType, const Extras extends Columns<Row> = Record<never, never>>(
    definition: ViewDefinition<Row, Handled, Extras>,
  ): View<Row, Extras> => {
    const { name, version, scope, on } = definition;
    if (!/^[a-z][a-z0-9_]{0,40}$/.test(name)) throw new Error(`view ${name}: a name is lower-case letters, digits and _, at most 41`);
    if (!Number.isInteger(version) || version < 1) throw new Error(`view ${name}: the version is an integer from 1 on`);
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
      key: (event) => (isOurs(event) ? definition.key(event) : null),
      evolve: (row, event) => {
        if (!isOurs(event)) return row;
        // The compiler cannot follow that `on[event.type]` takes exactly this event; the mapped type above guarantees it.
        const handler = on[event.type] as unknown as (row: Row | null, event: LogEvent) => Row | null;
        return handler(row, event);
      },
    };
  };

/** The id in the event's scope: of the project for `project-<id>`, of the account for `account-<id>`. */
export const scopeId = (event: { readonly scope: string }): string => event.scope.slice(event.scope.indexOf('-') + 1);
