import type pg from 'pg';
import { DomainError } from '../../kernel/errors.ts';

/** Injection token, and what a team's controllers read their tables with. */
export abstract class ProjectionTables {
  /** Under the names that stay, whatever version is shown: `SELECT … FROM p_<projection>.<table>`. Reads only, within five seconds. */
  abstract query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** The tables of a projection that is filled for the first time are not shown yet. */
export class ProjectionNotShown extends DomainError {
  readonly code = 'PROJECTION_NOT_SHOWN';
}

const UNDEFINED_TABLE = '42P01';
const READ_ONLY = '25006';

/** Over a small pool of its own: what a team reads takes no connection from the API. */
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
        throw new ProjectionNotShown(`${reason}: a projection is shown as p_<name>.<table> once it is filled`, { cause });
      // Elsewhere a sign of a standby, which passes; here nobody may ever write.
      if (code === READ_ONLY) throw new Error(`what reads the tables of teams may not change them: ${reason}`, { cause });
      throw cause;
    }
  }
}
