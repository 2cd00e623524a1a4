import type { Summary, View } from './define-view.ts';

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
