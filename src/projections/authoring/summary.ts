import type { View } from './define-view.ts';

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

export const summariesOf = (view: View): readonly (readonly [string, Summary])[] => Object.entries(view.summaries ?? {});

/** The row with its summaries, from the rows of its scope in memory. */
export function withSummaries<Row extends object>(
  view: View<Row>,
  key: string,
  row: Row,
  rowsOf: (view: View) => Iterable<object | null>,
): Row {
  if (view.summaries === null) return row;
  const fields = summariesOf(view).map(([name, { of, column, values }]) => {
    const found = new Set<unknown>();
    for (const other of rowsOf(of)) if (other !== null) found.add(of.columns[column]?.of(other));
    return [name, values.find((value) => found.has(`${key}/${value}`)) ?? null] as const;
  });
  return { ...row, ...Object.fromEntries(fields) };
}
