import { hash32 } from '../../kernel/hash.ts';
import type pg from 'pg';
import type { Checkpoint } from '../engine/checkpoint.ts';
import { sqlType } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import type { StoredRow } from './row.ts';
import { asText, extrasOf, SEPARATOR } from './row-values.ts';
import { columnsOf, tableOf } from './view-tables.ts';

/** Four parameters of the checkpoint and the schema's name stand before those of the views. */
const CHECKPOINT_PARAMETERS = 5;
const ROW_PARAMETERS = 5;

/**
 * Writes rows of many views and moves the checkpoint with one statement, so in one transaction and one round trip. The rows are written
 * only if the checkpoint could be moved from the very place where the runner left it: of two runners one writes, the other nothing.
 */
export class ViewWriter {
  /** One statement a set of touched views; there are few sets in practice. */
  private readonly statements = new Map<string, string>();

  /** Of the documents that were written: whoever keeps the rows has to know what they weigh. */
  private readonly sizes = new WeakMap<StoredRow, number>();

  constructor(
    private readonly schema: string,
    private readonly views: readonly View[],
  ) {}

  sizeOf(stored: StoredRow): number {
    return this.sizes.get(stored) ?? 0;
  }

  /** False: nothing was written, somebody else is further. */
  async write(
    db: pg.Pool | pg.PoolClient,
    rows: ReadonlyMap<View, ReadonlyMap<string, StoredRow>>,
    from: Checkpoint,
    to: Checkpoint,
  ): Promise<boolean> {
    const touched = this.views.filter((view) => (rows.get(view)?.size ?? 0) > 0);
    const name = `write_${this.schema}_${touched.map((view) => this.views.indexOf(view).toString(36)).join('_')}`;
    const text = this.statements.get(name) ?? this.statement(touched);
    this.statements.set(name, text);
    const values: unknown[] = [this.schema, to.n, to.eventId, from.n, from.eventId];
    for (const view of touched) values.push(...this.parameters(view, [...(rows.get(view)?.values() ?? [])]));
    const { rows: moved } = await db.query({ name: shortName(name), text, values });
    return moved.length === 1;
  }

  private parameters(view: View, rows: readonly StoredRow[]): unknown[] {
    const extras = rows.map(({ row }) => (row === null ? [] : extrasOf(view, row)));
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
      ...columnsOf(view).map((_, index) => extras.map((values) => asText(values[index] ?? null))),
    ];
  }

  private statement(touched: readonly View[]): string {
    const writes: string[] = [];
    let parameter = CHECKPOINT_PARAMETERS;
    touched.forEach((view, index) => {
      writes.push(`, w${String(index)} AS (${upsert(this.schema, view, parameter)})`);
      parameter += ROW_PARAMETERS + columnsOf(view).length;
    });
    return `WITH moved AS (
      UPDATE projection SET n = $2, event_id = $3, moved_at = now() WHERE schema = $1 AND n = $4 AND event_id IS NOT DISTINCT FROM $5 RETURNING n
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

/** Postgres cuts names of statements at 63 bytes, and two that are cut alike would be taken for one. */
const shortName = (name: string): string => (name.length <= 63 ? name : `w${String(hash32(name))}_${name.slice(-40)}`);
