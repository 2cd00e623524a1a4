import { cleanText, type Condition, normalized, searchable } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import { rowColumns, tableOf } from './view-tables.ts';
import type { ListQuery } from './views.ts';
import { gramsIn } from '../authoring/grams.ts';

type AnyQuery = ListQuery<Record<string, never>>;
type AnyWhere = Readonly<Record<string, Condition | undefined>>;

/** A list as SQL: column names come from the view, values are parameters. */
export function listStatement(schema: string, view: View, query: AnyQuery, columns = rowColumns(view)): Statement {
  const { from, values, bind } = listed(schema, view, query);
  const { by, direction = 'asc' }: { by?: string; direction?: 'asc' | 'desc' } = query.order ?? {};
  const order = by === undefined ? `key ${direction}` : `${quotedColumn(view, by)} ${direction}, key ${direction}`;
  const limit = query.limit === undefined ? '' : ` LIMIT ${bind(query.limit, 'bigint')}`;
  return { text: `SELECT ${columns} ${from} ORDER BY ${order}${limit}`, values };
}

/** The length of a list. */
export function countStatement(schema: string, view: View, query: AnyQuery): Statement {
  const { from, values } = listed(schema, view, query);
  return { text: `SELECT count(*)::int AS count ${from}`, values };
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

function listed(
  schema: string,
  view: View,
  query: AnyQuery,
): { readonly from: string; readonly values: readonly unknown[]; readonly bind: Bind } {
  const values: unknown[] = [];
  const bind = (value: unknown, type: string): string => `$${String(values.push(value))}::${type}`;
  const terms = ['doc IS NOT NULL'];
  if (query.scope !== undefined) terms.push(`scope = ${bind(query.scope, 'text')}`);
  if (query.scopes !== undefined) terms.push(`scope = ANY(${bind(query.scopes, 'text[]')})`);
  if (query.keys !== undefined)
    terms.push(
      `key = ANY(${bind(
        query.keys.map((key) => normalized('text', key)),
        'text[]',
      )})`,
    );
  terms.push(...whereTerms(view, query.where ?? {}, bind));
  // The summary of a row that cannot be read is unknown.
  for (const [name, value] of Object.entries(query.summary ?? {}))
    terms.push(`(${value === null ? `"${name}" IS NULL` : `"${name}" = ${bind(value, 'text')}`} OR parked)`);
  terms.push(...(query.also ?? []).map(({ view: other, where }) => alsoTerm(schema, other, where, bind)));
  if (query.anyOf !== undefined) {
    const choices = query.anyOf.map((where) => whereTerms(view, where, bind).join(' AND ') || 'true');
    terms.push(`(${choices.join(' OR ') || 'false'})`);
  }
  const { by, direction = 'asc' }: { by?: string; direction?: 'asc' | 'desc' } = query.order ?? {};
  if (by !== undefined) terms.push(`${quotedColumn(view, by)} IS NOT NULL`);
  if (query.after !== undefined) terms.push(afterTerm(view, by, direction, query.after, bind));
  return { from: `FROM ${tableOf(schema, view)} WHERE ${terms.join(' AND ')}`, values, bind };
}

const alsoTerm = (schema: string, view: View, where: AnyWhere, bind: Bind): string =>
  `key IN (SELECT key FROM ${tableOf(schema, view)} WHERE ${['doc IS NOT NULL', ...whereTerms(view, where, bind)].join(' AND ')})`;

/** The first row of each group, by one index lookup for each. */
export function firstsStatement(
  schema: string,
  view: View,
  column: string,
  groups: readonly string[],
  { also = [], order = {} }: Pick<AnyQuery, 'also' | 'order'>,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [groups];
  const bind = (value: unknown, type: string): string => `$${String(values.push(value))}::${type}`;
  const { by, direction = 'asc' }: { by?: string; direction?: 'asc' | 'desc' } = order;
  const terms = [
    `${quotedColumn(view, column)} = wanted."group"`,
    'doc IS NOT NULL',
    ...also.map(({ view: other, where }) => alsoTerm(schema, other, where, bind)),
  ];
  const sorted = by === undefined ? `key ${direction}` : `${quotedColumn(view, by)} ${direction}, key ${direction}`;
  const text = `SELECT wanted."group" AS "group", first.* FROM unnest($1::text[]) AS wanted("group") CROSS JOIN LATERAL
    (SELECT ${rowColumns(view)} FROM ${tableOf(schema, view)} WHERE ${terms.join(' AND ')} ORDER BY ${sorted} LIMIT 1) AS first`;
  return { text, values };
}

/** A deleted row has no values, so the index alone answers. */
export const countsStatement = (schema: string, view: View, column: string): string =>
  `SELECT ${quotedColumn(view, column)} AS value, count(*)::int AS count FROM ${tableOf(schema, view)}
   WHERE ${quotedColumn(view, column)} = ANY($1::text[]) GROUP BY 1`;

type Bind = (value: unknown, type: string) => string;

function afterTerm(
  view: View,
  by: string | undefined,
  direction: 'asc' | 'desc',
  after: NonNullable<AnyQuery['after']>,
  bind: Bind,
): string {
  const operator = direction === 'asc' ? '>' : '<';
  if (by === undefined) return `key ${operator} ${bind(normalized('text', after.key), 'text')}`;
  const kind = view.columns[by]?.kind;
  const type = kind === 'integer' ? 'bigint' : kind === 'boolean' ? 'boolean' : 'text';
  return `(${quotedColumn(view, by)}, key) ${operator} (${bind(normalized(kind ?? 'text', after.value ?? null), type)}, ${bind(normalized('text', after.key), 'text')})`;
}

function quotedColumn(view: View, column: string): string {
  if (!Object.hasOwn(view.columns, column)) throw new Error(`view ${view.name} has no column ${column}`);
  return `"${column}"`;
}

function whereTerms(view: View, where: AnyWhere, bind: Bind): string[] {
  return Object.entries(where).flatMap(([column, condition]) => {
    if (condition === undefined) return [];
    const name = quotedColumn(view, column);
    const kind = view.columns[column]?.kind ?? 'text';
    const value = (given: string | number | boolean): unknown => (typeof given === 'string' ? normalized(kind, given) : given);
    const type = kind === 'integer' || kind === 'integers' ? 'bigint' : kind === 'boolean' ? 'boolean' : 'text';
    const terms: string[] = [];
    if ('eq' in condition && condition.eq !== undefined) terms.push(`${name} = ${bind(value(condition.eq), type)}`);
    if ('in' in condition && condition.in !== undefined) terms.push(`${name} = ANY(${bind(condition.in.map(value), `${type}[]`)})`);
    if ('atLeast' in condition && condition.atLeast !== undefined) terms.push(`${name} >= ${bind(condition.atLeast, 'bigint')}`);
    if ('atMost' in condition && condition.atMost !== undefined) terms.push(`${name} <= ${bind(condition.atMost, 'bigint')}`);
    if ('has' in condition && condition.has !== undefined) terms.push(`${name} @> ARRAY[${bind(condition.has, 'bigint')}]`);
    return [...terms, ...textTerms(name, condition, bind)];
  });
}

function textTerms(name: string, condition: Condition, bind: Bind): readonly string[] {
  if ('hasAll' in condition && condition.hasAll !== undefined) return [`${name} @> ${bind(condition.hasAll.map(cleanText), 'text[]')}`];
  if ('mayContain' in condition && condition.mayContain !== undefined)
    return [`${name} @> ${bind(gramsIn(searchable(condition.mayContain)), 'integer[]')}`];
  if ('contains' in condition && condition.contains !== undefined)
    return [`strpos(${name}, ${bind(searchable(condition.contains), 'text')}) > 0`];
  return [];
}
