import type pg from 'pg';
import { DomainError } from '../../../kernel/errors.ts';
import type { Projection } from './define-projection.ts';
import type { View } from './define-view.ts';

/** Injection token: how a team's controllers read their tables. */
export abstract class ProjectionTables {
  /** By names that do not change with the version: `SELECT … FROM p_<projection>.<table>`. Read-only, at most five seconds. */
  abstract query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** As of an instant (ISO 8601) or a position of the log; refuses one in the future, as `?asOf=` does. */
  abstract asOf(instant: string): Promise<PastTables>;
}

/**
 * The same projections as of an instant, folded from the events that one project (`project-<id>`) or account (`account-<id>`) had until then, and from no
 * others. At most 10,000 events of the types that are handled, and five seconds.
 */
export interface PastTables {
  /** The position of the log that the answers are computed at. */
  readonly position: number;
  /** SQL over the tables of one projection, named as in its handlers. Each query folds anew. */
  query<Row extends object = Record<string, unknown>>(
    projection: Projection,
    scope: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>;
  /** The documents of a view, by key. */
  rows<Row extends object>(view: View<Row>, scope: string): Promise<ReadonlyMap<string, Row>>;
}

/** The projection is being filled for the first time and is not published yet. */
export class ProjectionNotShown extends DomainError {
  readonly code = 'PROJECTION_NOT_SHOWN';
}

const UNDEFINED_TABLE = '42P01';
const READ_ONLY = '25006';

/** Over its own small pool, so that a team's reads take no connection from the API. */
export class PooledTables extends ProjectionTables {
  constructor(
    private readonly pool: pg.Pool,
    private readonly past: (instant: string) => Promise<PastTables>,
  ) {
    super();
  }

  asOf(instant: string): Promise<PastTables> {
    return this.past(instant);
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      const { rows } = await this.pool.query<Row>(text, [...values]);
      return rows;
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : null;
      const reason = cause instanceof Error ? cause.message : '';
      if (code === UNDEFINED_TABLE)
        throw new ProjectionNotShown(`${reason}: the tables of a projection appear as p_<name>.<table> once it is filled`, { cause });
      // Not the transient error of a standby: this pool is read-only by configuration.
      if (code === READ_ONLY) throw new Error(`ProjectionTables is read-only: ${reason}`, { cause });
      throw cause;
    }
  }
}
