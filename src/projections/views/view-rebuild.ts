import { rebuildSchemaOf } from '../engine/schema-names.ts';
import type pg from 'pg';
import type { Log } from '../../log/log.ts';
import { readState } from '../engine/checkpoint.ts';
import { throttled } from '../engine/fill-rate-limit.ts';
import type { ViewUnit } from './unit.ts';
import { dropSchema, ensureSchema, finishSchema, replaceSchema } from './unit-schema.ts';
import { type Filling, fillTo, fillToHead } from './view-fill.ts';

const NEAR_ENOUGH = 2_000;

/** The same version once more from nothing, beside the tables in use, which go on being fed until these take their place. */
export class Rebuild {
  private readonly closing = new AbortController();
  private filled = false;
  private failed = false;
  private readonly filling: Promise<void>;

  private constructor(
    private readonly unit: ViewUnit,
    private readonly log: Log,
    private readonly db: pg.Pool,
    private readonly schema: string,
    report: (error: unknown) => void,
  ) {
    this.filling = this.fill().catch(async (error: unknown) => {
      this.failed = true;
      if (!this.closing.signal.aborted) report(error);
      await this.giveUp();
    });
  }

  static begin(unit: ViewUnit, log: Log, db: pg.Pool, report: (error: unknown) => void): Rebuild {
    return new Rebuild(unit, log, db, rebuildSchemaOf(unit.schema), report);
  }

  async cancel(): Promise<void> {
    this.closing.abort();
    await this.filling;
  }

  /** Called between two batches of the tables in use: once near, goes exactly as far as they are and takes their place. True: done, or given up. */
  async swapAt(n: number): Promise<boolean> {
    if (this.failed) return true;
    if (!this.filled) return false;
    await fillTo(this.target(), n);
    await replaceSchema(this.db, this.unit, this.schema);
    return true;
  }

  private target(): Filling {
    const { unit, log, db, schema } = this;
    return { unit, log, db, schema, signal: this.closing.signal };
  }

  private async fill(): Promise<void> {
    const { unit, db, schema } = this;
    await dropSchema(db, schema);
    await ensureSchema(db, unit, schema);
    await fillToHead({ ...this.target(), pace: throttled() }, NEAR_ENOUGH);
    if (this.closing.signal.aborted) return;
    await finishSchema(db, unit, schema);
    this.filled = (await readState(db, schema)) !== null;
  }

  private async giveUp(): Promise<void> {
    await dropSchema(this.db, this.schema).catch(() => undefined);
    await this.db.query('UPDATE projection SET rebuild = false WHERE schema = $1', [this.unit.schema]).catch(() => undefined);
  }
}
