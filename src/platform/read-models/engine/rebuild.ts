import type pg from 'pg';
import { readSchemaState } from './checkpoint.ts';
import { rebuildSchemaOf } from './schema-names.ts';
import { dropSchema, swapSchemas } from './schemas.ts';

/** Fills the tables of one schema beside the schema in use. */
export interface TableFill {
  /** Up to near the head of the log, ready to be read. */
  toHead(): Promise<void>;
  /** Up to and including `n`. */
  to(n: number): Promise<void>;
}

export interface RebuildTarget {
  readonly schema: string;
  /** The schema that a team's SQL reads, whatever version is current; null for the core views. */
  readonly publicSchema: string | null;
  ensureTables(schema: string): Promise<void>;
  openFill(schema: string, signal: AbortSignal): TableFill;
}

/** A blue/green rebuild: the same version is filled from nothing while the tables in use are fed and read, then the two are swapped. */
export class Rebuild {
  private readonly closing = new AbortController();
  private readonly schema: string;
  private readonly fill: TableFill;
  private readonly filling: Promise<void>;
  private state: 'filling' | 'filled' | 'failed' = 'filling';

  constructor(
    private readonly target: RebuildTarget,
    private readonly db: pg.Pool,
    report: (error: unknown) => void,
    /** The tables can be swapped, or the fill failed. */
    onFilled: () => void,
  ) {
    this.schema = rebuildSchemaOf(target.schema);
    this.fill = target.openFill(this.schema, this.closing.signal);
    this.filling = this.fillBeside()
      .catch(async (error: unknown) => {
        this.state = 'failed';
        if (!this.closing.signal.aborted) report(error);
        await dropSchema(this.db, this.schema).catch(() => undefined);
        await this.db.query('UPDATE projection SET rebuild = false WHERE schema = $1', [target.schema]).catch(() => undefined);
      })
      .then(onFilled);
  }

  async cancel(): Promise<void> {
    this.closing.abort();
    await this.filling;
  }

  /** Between two batches of the tables in use, which stand at `n`: swaps once the fill is near. True when it swapped or failed. */
  async swapAt(n: number): Promise<boolean> {
    if (this.state === 'failed') return true;
    if (this.state === 'filling') return false;
    await this.fill.to(n);
    await swapSchemas(this.db, this.target.schema, this.schema, this.target.publicSchema);
    return true;
  }

  private async fillBeside(): Promise<void> {
    await dropSchema(this.db, this.schema);
    await this.target.ensureTables(this.schema);
    await this.fill.toHead();
    if (this.closing.signal.aborted) return;
    if ((await readSchemaState(this.db, this.schema)) !== null) this.state = 'filled';
  }
}
