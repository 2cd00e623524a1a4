import { createHash } from 'node:crypto';
import type { LogEvent } from '../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { publicSchemaOf, schemaOf } from '../engine/schema-names.ts';

/** Views that are folded together: one runner, one checkpoint, one schema, so that their tables always stand at one instant. */
export interface ViewUnit {
  readonly name: string;
  /** Tells one set of views and versions from another. */
  readonly signature: string;
  readonly schema: string;
  /** Where SQL of others reads the tables under names that stay; null for the core, which nobody reads but the service. */
  readonly shown: string | null;
  readonly views: readonly View[];
  /** Events in which no view of the unit is interested move the checkpoint only. */
  viewsFor(event: LogEvent): readonly View[];
}

const NONE: readonly View[] = [];

export function viewUnit(name: string, views: readonly View[]): ViewUnit {
  const names = views.map((view) => view.name);
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index);
  if (twice !== undefined) throw new Error(`two views of ${name} are called ${twice}`);
  const signature = signatureOf(views);
  const byType = new Map<string, View[]>();
  for (const view of views) for (const type of view.handles) byType.set(type, [...(byType.get(type) ?? []), view]);
  return { name, signature, schema: `${name}_${signature}`, shown: null, views, viewsFor: ({ type }) => byType.get(type) ?? NONE };
}

/** A team's view stands alone: its own runner and checkpoint, in a schema that its version names. */
export function teamUnit(view: View): ViewUnit {
  return { ...viewUnit(view.name, [view]), signature: String(view.version), schema: schemaOf(view), shown: publicSchemaOf(view) };
}

/** Columns count too: a table always has the columns that its code expects, even where somebody forgot to raise a version. */
function signatureOf(views: readonly View[]): string {
  const rows = views.map(({ name, version, columns }) => [
    name,
    version,
    Object.entries(columns).map(([column, { kind, indexed }]) => [column, kind, indexed]),
  ]);
  rows.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 12);
}
