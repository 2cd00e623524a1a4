import type pg from 'pg';
import { DomainError } from '../../kernel/errors.ts';

/** Injection token: how a team's controllers read their tables. */
export abstract class ProjectionTables {
  /** By names that do not change with the version: `SELECT … FROM p_<projection>.<table>`. Read-only, at most five seconds. */
  abstract query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** The projection is being filled for the first time and is not published yet. */
export class ProjectionNotShown extends DomainError {
  readonly code = 'PROJECTION_NOT_SHOWN';
}

const UNDEFINED_TABLE = '42P01';
const READ_ONLY = '25006';

/** Over its own small pool, so that a team's reads take no connection from the API. */
export class PooledTables extends ProjectionTables {
  constructor(private readonly pool: pg.Pool) {
    super();
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
