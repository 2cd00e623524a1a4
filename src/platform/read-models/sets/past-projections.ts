import type pg from 'pg';
import { ConcurrencyLimit } from '../../../kernel/concurrency-limit.ts';
import { InvalidInput } from '../../../kernel/errors.ts';
import { TimeSlice } from '../../../kernel/time-slice.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { readLogInstant } from '../../log/log-instant.ts';
import { inRolledBackTransaction } from '../../postgres/transaction.ts';
import { isTransientDatabaseError } from '../../postgres/transient-database-error.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { View } from '../authoring/define-view.ts';
import { HandlerTransaction } from '../authoring/projection-tx.ts';
import type { PastTables } from '../authoring/projection-tables.ts';
import { VoidedEvents } from '../engine/voided-events.ts';
import { scopeEvents } from '../views/refold.ts';
import { MAX_TYPES, ScopeFold } from '../views/scope-fold.ts';
import { teamUnit } from '../views/unit.ts';
import { KeyParked } from '../views/views.ts';
import { SetEvents } from './set-events.ts';

/** A request may fold this many events of the handled types in one scope. */
const MAX_EVENTS = 10_000;
const FOLD_MS = 5_000;
/** Folding occupies a connection of the teams and the shared thread. */
const CONCURRENT_FOLDS = 1;
const MAX_QUEUE = 20;

/**
 * Projections of teams as of an instant. The events of one scope are applied by the projection's own handlers to tables that exist only within a
 * transaction that is rolled back, or to rows in memory: the live tables are neither read nor written.
 */
export class PastProjections {
  private readonly limit = new ConcurrencyLimit(CONCURRENT_FOLDS, { maxQueue: MAX_QUEUE });

  constructor(
    private readonly log: Pick<Log, 'read' | 'at'>,
    private readonly db: pg.Pool,
  ) {}

  async asOf(instant: string): Promise<PastTables> {
    const { n } = await readLogInstant(this.log, instant, 'asOf');
    return {
      position: n,
      query: (projection, scope, text, values) =>
        this.limit.run(() => this.query(projection, scope, n, { text, values: [...(values ?? [])] })),
      rows: (view, scope) => this.limit.run(() => this.rows(view, scope, n)),
    };
  }

  private query<Row extends object>(
    projection: Projection,
    scope: string,
    until: number,
    query: { readonly text: string; readonly values: unknown[] },
  ): Promise<readonly Row[]> {
    return inRolledBackTransaction(
      this.db,
      async (client) => {
        // What is created without the name of a schema is temporary.
        await client.query('SET LOCAL search_path = pg_temp');
        for (const statement of projection.tables) await client.query(statement);
        const tx = new HandlerTransaction(client);
        try {
          await this.apply(projection, scope, until, tx);
        } finally {
          tx.end();
        }
        await client.query('SET TRANSACTION READ ONLY');
        return (await client.query<Row>(query.text, query.values)).rows;
      },
      'READ WRITE',
    );
  }

  private async apply(projection: Projection, scope: string, until: number, tx: HandlerTransaction): Promise<void> {
    const log = this.bounded(projection);
    const wanted = new SetEvents(projection, this.log);
    await wanted.refresh();
    const types = [...projection.handles];
    const events: LogEvent[] = [];
    // All are read first, so that a history that is too long costs no fold.
    for await (const page of scopeEvents(log, scope, until, -1, types.length <= MAX_TYPES ? types : undefined)) events.push(...page);
    const deadline = performance.now() + FOLD_MS;
    const slice = new TimeSlice();
    for (const event of wanted.wanted(events)) {
      if (slice.isOver) await slice.next();
      try {
        await tx.run(projection.apply(event, tx));
      } catch (error) {
        parkedUnlessTransient(projection.name, scope)(error);
      }
      if (performance.now() > deadline)
        throw new InvalidInput(`asOf: the events of ${projection.name} until then take longer than ${String(FOLD_MS / 1_000)} s to fold`);
    }
    await tx.flush().catch(parkedUnlessTransient(projection.name, scope));
  }

  private async rows<Row extends object>(view: View<Row>, scope: string, until: number): Promise<ReadonlyMap<string, Row>> {
    const log = this.bounded(view);
    const unit = teamUnit(view);
    const voided = new VoidedEvents(this.log, unit);
    await voided.refresh();
    const found = new Map<string, Row>();
    for (const { key, row, parked } of (await new ScopeFold({ unit, log, voided }, scope, until).rowsOf(view)).values()) {
      if (parked) throw new KeyParked(view.name, key);
      // Cast: folded by this view.
      if (row !== null) found.set(key, row as Row);
    }
    return found;
  }

  /** Refuses to read more than a request may fold. */
  private bounded({ name, handles }: Pick<View, 'name' | 'handles'>): Pick<Log, 'read'> {
    let count = 0;
    return {
      read: async (query) => {
        const events = await this.log.read(query);
        count += events.filter(({ type }) => handles.has(type)).length;
        if (count > MAX_EVENTS)
          throw new InvalidInput(
            `asOf: ${name} can be read as of an instant with at most ${String(MAX_EVENTS)} events of its project or account; there are more until then`,
          );
        return events;
      },
    };
  }
}

/** The live projection parks such an event, with all later ones of its partition. */
const parkedUnlessTransient =
  (name: string, scope: string) =>
  (error: unknown): never => {
    if (isTransientDatabaseError(error)) throw error;
    throw new KeyParked(name, scope);
  };
