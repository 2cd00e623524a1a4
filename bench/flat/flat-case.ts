import type { FlatDatabase } from './flat-database.ts';

/**
 * An operation whose cost must not grow: `bench/flat/cases/NAME.case.ts` exports one, or a list, as its default. Every file there is measured by
 * `npm run bench flat`; `FLAT_CASES=a,b npm run bench flat` measures the cases whose names contain one of these texts.
 */
export interface FlatCase {
  readonly name: string;
  /**
   * What must not matter. `projects`: `prepare` is called once for each database, with its number of projects. `checks`, `events`: once for each of
   * `sizes` with the smallest database; it has a project of 1, 100 and 2,000 checks (`projectOfChecks`), a project with events a case writes itself.
   */
  readonly over: 'projects' | 'checks' | 'events';
  /** Default: the databases, or 1, 100 and 2,000 checks. Ascending. */
  readonly sizes?: readonly number[];
  /** At the largest size, in milliseconds. */
  readonly atMost?: number;
  /** Default: 15 calls a round. Fewer for expensive ones. */
  readonly calls?: number;
  /** Resolves with the operation to be timed. All sizes have to answer the same amount: a page that is full at one size and short at another is no comparison. */
  prepare(database: FlatDatabase, size: number): Promise<() => Promise<unknown>>;
}
