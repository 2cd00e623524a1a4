import { createHash } from 'node:crypto';
import type { LogEvent } from '../../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { summariesOf } from '../authoring/summary.ts';
import { publicSchemaOf, schemaOf } from '../engine/schema-names.ts';

/** Views with one runner, one checkpoint and one schema, so that their tables always stand at one position of the log. */
export interface ViewUnit {
  readonly name: string;
  /** The hash of the views and their versions; for a team's view its version. */
  readonly signature: string;
  readonly schema: string;
  /** The schema that a team's SQL reads, whatever version is current; null for the core views. */
  readonly publicSchema: string | null;
  readonly views: readonly View[];
  viewsFor(event: LogEvent): readonly View[];
}

const NONE: readonly View[] = [];

export function viewUnit(name: string, views: readonly View[]): ViewUnit {
  const names = views.map((view) => view.name);
  const duplicate = names.find((candidate, index) => names.indexOf(candidate) !== index);
  if (duplicate !== undefined) throw new Error(`two views of ${name} are called ${duplicate}`);
  const signature = signatureOf(views);
  const byType = new Map<string, View[]>();
  for (const view of views) for (const type of view.handles) byType.set(type, [...(byType.get(type) ?? []), view]);
  return { name, signature, schema: `${name}_${signature}`, publicSchema: null, views, viewsFor: ({ type }) => byType.get(type) ?? NONE };
}

/** A team's view is a unit by itself, in a schema that is named after its version. */
export function teamUnit(view: View): ViewUnit {
  return { ...viewUnit(view.name, [view]), signature: String(view.version), schema: schemaOf(view), publicSchema: publicSchemaOf(view) };
}

/** Columns count as well, so that a table has the columns that the code expects even if a version was not raised. */
function signatureOf(views: readonly View[]): string {
  const rows = views.map((view) => [
    view.name,
    view.version,
    Object.entries(view.columns).map(([column, { kind, indexed }]) => [column, kind, indexed]),
    ...summariesOf(view).map(([name]) => name),
  ]);
  rows.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 12);
}
