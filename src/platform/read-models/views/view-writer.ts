import type pg from 'pg';
import { hash32 } from '../../../kernel/hash.ts';
import { sqlType } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import type { Checkpoint } from '../engine/checkpoint.ts';
import { columnText, columnValues, type StoredRow } from './stored-row.ts';
import { columnsOf, tableOf } from './view-tables.ts';

/** Separates the documents of rows: JSON text escapes control characters. One string is far cheaper to send than an array of quoted ones. */
const SEPARATOR = '\u0001';
/** Parameters of the checkpoint and the schema's name come before those of the views. */
const CHECKPOINT_PARAMETERS = 5;
const ROW_PARAMETERS = 5;

/**
 * Writes rows of many views and moves the checkpoint in one statement: one transaction, one round trip. Optimistic concurrency: nothing is
 * written unless the checkpoint is where this runner left it and the log still holds the event of the new one, which a failover may have lost.
 */
export class ViewWriter {
  /** One statement for each set of changed views; there are few sets in practice. */
  private readonly statements = new Map<string, string>();

  /** The lengths of the written documents, for the cache of rows. */
  private readonly sizes = new WeakMap<StoredRow, number>();

  constructor(
    private readonly schema: string,
    private readonly views: readonly View[],
  ) {}

  sizeOf(stored: StoredRow): number {
    return this.sizes.get(stored) ?? 0;
  }

  /** False when nothing was written, because another runner moved the checkpoint or the log lost its end. */
  async write(
    db: pg.Pool | pg.PoolClient,
    rows: ReadonlyMap<View, ReadonlyMap<string, StoredRow>>,
    from: Checkpoint,
    to: Checkpoint,
  ): Promise<boolean> {
    const changed = this.views.filter((view) => (rows.get(view)?.size ?? 0) > 0);
    const name = `write_${this.schema}_${changed.map((view) => this.views.indexOf(view).toString(36)).join('_')}`;
    const text = this.statements.get(name) ?? this.statement(changed);
    this.statements.set(name, text);
    const values: unknown[] = [this.schema, to.n, to.eventId, from.n, from.eventId];
    for (const view of changed) values.push(...this.parameters(view, [...(rows.get(view)?.values() ?? [])]));
    const { rows: moved } = await db.query({ name: shortName(name), text, values });
    return moved.length === 1;
  }

  private parameters(view: View, rows: readonly StoredRow[]): unknown[] {
    const extras = rows.map(({ row }) => (row === null ? [] : columnValues(view, row)));
    const documents = rows.map((stored) => {
      const text = stored.row === null ? '' : JSON.stringify(stored.row);
      this.sizes.set(stored, text.length);
      return text;
    });
    return [
      rows.map(({ key }) => key),
      rows.map(({ scope }) => scope),
      rows.map(({ n }) => n),
      rows.map(({ parked }) => parked),
      documents.join(SEPARATOR),
      ...columnsOf(view).map((_, index) => extras.map((values) => columnText(values[index] ?? null))),
    ];
  }

  private statement(changed: readonly View[]): string {
    const writes: string[] = [];
    let parameter = CHECKPOINT_PARAMETERS;
    changed.forEach((view, index) => {
      writes.push(`, w${String(index)} AS (${upsert(this.schema, view, parameter)})`);
      parameter += ROW_PARAMETERS + columnsOf(view).length;
    });
    return `WITH moved AS (
      UPDATE projection SET n = $2, event_id = $3, moved_at = now() WHERE schema = $1 AND n = $4 AND event_id IS NOT DISTINCT FROM $5
        AND ($3::uuid IS NULL OR log_holds($2, $3)) RETURNING n
    )${writes.join('')} SELECT n FROM moved`;
  }
}

function upsert(schema: string, view: View, before: number): string {
  const columns = columnsOf(view);
  const at = (index: number): string => `$${String(before + index)}`;
  const names = ['key', 'scope', 'n', 'parked', 'doc', ...columns.map(([name]) => `"${name}"`)];
  const sources = [
    `${at(1)}::text[]`,
    `${at(2)}::text[]`,
    `${at(3)}::bigint[]`,
    `${at(4)}::boolean[]`,
    `string_to_array(${at(5)}, E'\\x01', '')::json[]`,
    ...columns.map((_, index) => `${at(ROW_PARAMETERS + 1 + index)}::text[]`),
  ];
  const aliases = ['key', 'scope', 'n', 'parked', 'doc', ...columns.map((_, index) => `c${String(index)}`)];
  const selected = ['key', 'scope', 'n', 'parked', 'doc'].map((name) => `u.${name}`);
  columns.forEach(([, { kind }], index) => selected.push(`u.c${String(index)}::${sqlType[kind]}`));
  const updates = names.slice(2).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${tableOf(schema, view)} (${names.join(', ')})
    SELECT ${selected.join(', ')} FROM moved, unnest(${sources.join(', ')}) AS u(${aliases.join(', ')})
    ON CONFLICT (key) DO UPDATE SET ${updates.join(', ')}`;
}

/** Postgres truncates names of statements to 63 bytes, which would make two of them the same. */
const shortName = (name: string): string => (name.length <= 63 ? name : `w${String(hash32(name))}_${name.slice(-40)}`);
