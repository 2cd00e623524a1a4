import type pg from 'pg';
import { ConcurrencyLimit } from '../../../kernel/concurrency-limit.ts';
import type { Log } from '../../log/log.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { View } from '../authoring/define-view.ts';
import { readSchemaState } from '../engine/checkpoint.ts';
import { VoidedEvents } from '../engine/voided-events.ts';
import { FoldedViews } from './folded-views.ts';
import type { ScopeSource } from './scope-fold.ts';
import { ScopeSnapshots } from './scope-snapshots.ts';
import { TableViews } from './table-views.ts';
import type { ViewUnit } from './unit.ts';
import { tableOf } from './view-tables.ts';
import type { Views, ViewsAt } from './views.ts';

const CONCURRENT_FOLDS = 2;

/** Reads a unit of views: from its tables for now, by a fold for any earlier instant. */
export class UnitViews implements ViewsAt {
  private readonly tables: TableViews;
  private readonly voided: VoidedEvents;
  private readonly snapshots: ScopeSnapshots;
  private readonly limit = new ConcurrencyLimit(CONCURRENT_FOLDS);

  constructor(
    private readonly unit: ViewUnit,
    private readonly log: Log,
    private readonly db: pg.Pool,
    position: () => number,
  ) {
    this.tables = new TableViews(db, unit.schema, position);
    this.voided = new VoidedEvents(log, unit);
    this.snapshots = new ScopeSnapshots(db, unit);
  }

  now(): Views {
    return this.tables;
  }

  asOf(n: number): Views {
    const { unit, log, voided, limit } = this;
    const base: ScopeSource['base'] = (scope, until, views) => this.snapshots.read(scope, until, views, voided).catch(() => null);
    return new FoldedViews({ unit, log, voided, limit, base, scopesOf: (view, keys) => this.scopesOf(view, keys) }, n);
  }

  async snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    return inTransaction(
      this.db,
      async (client) => {
        const state = await readSchemaState(client, this.unit.schema);
        const queries = new QueriesInTurn(client);
        try {
          return await work(new TableViews(queries, this.unit.schema, () => state?.checkpoint.n ?? -1));
        } finally {
          await queries.ended();
        }
      },
      'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    );
  }

  private async scopesOf(view: View, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const known = keys.filter((key) => !key.includes('\u0000'));
    if (view.scope === 'system') return new Map(known.map((key) => [key, 'system']));
    const { rows } = await this.db.query<{ key: string; scope: string }>({
      name: `scopes_${this.unit.schema}_${view.name}`.slice(0, 63),
      text: `SELECT key, scope FROM ${tableOf(this.unit.schema, view)} WHERE key = ANY($1::text[])`,
      values: [known],
    });
    return new Map(rows.map(({ key, scope }) => [key, scope]));
  }
}

/** One connection runs one query after the other; the reads of a snapshot are asked for at once, as those of a fold are. */
class QueriesInTurn {
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;

  constructor(private readonly client: pg.PoolClient) {}

  // Cast: the signatures of `pg` are overloads.
  readonly query = ((...given: [pg.QueryConfig]) => {
    const result = this.last.then(() => {
      if (this.isOver) throw new Error('the snapshot has ended');
      return this.client.query(...given);
    });
    this.last = result.catch(() => undefined);
    return result;
  }) as pg.Pool['query'];

  /** Afterwards the connection belongs to others: where one read failed, the rest of them is not begun. */
  async ended(): Promise<void> {
    this.isOver = true;
    await this.last;
  }
}
