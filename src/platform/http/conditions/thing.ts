import type { PreconditionFailed } from '../../commands/precondition.ts';
import type { View } from '../../read-models/authoring/define-view.ts';

/** The ids by which a request names a thing: of its path, and of its caller. */
export interface ThingIds {
  readonly projectId: string;
  readonly checkId: string;
  readonly areaId: string;
  readonly userId: number;
  readonly channel: string;
  readonly pageId: string;
  readonly serviceAccountId: string;
  readonly destinationId: string;
}

/** The row of the read models that holds the settings of a thing. */
export interface ThingRow {
  readonly view: View;
  readonly key: string;
  /** The tag of the row; null where the thing does not exist. */
  readonly tag: (row: object | null) => string | null;
}

/** What `If-Match` protects: an object whose settings are read and written by people and programs. A route names it with `@IfMatch`. */
export interface Thing {
  readonly name: string;
  readonly row: (ids: ThingIds) => ThingRow;
}

/** `If-Match` of a request, and what its route compares it with. */
export interface MatchedTags {
  readonly thing: Thing;
  readonly tags: readonly string[];
}

/** Port: finds what a writer did not know, the changes of the settings since they were read (docs/spec/decisions.md#G17). */
export abstract class UnreadChanges {
  /** The refusal with the changes, as far as they can be found. */
  abstract explained(refusal: PreconditionFailed, matched: MatchedTags, ids: ThingIds): Promise<PreconditionFailed>;
}

// Cast: the engine gives `tag` rows of this view.
export const thingRow = <Row extends object>(view: View<Row>, key: string, tag: (row: Row | null) => string | null): ThingRow => ({
  view,
  key,
  tag: tag as ThingRow['tag'],
});

/** The tag of a thing that does not exist without its row. */
export const existing =
  <Row>(tag: (row: Row) => string) =>
  (row: Row | null): string | null =>
    row && tag(row);
