import { summariesOf } from '../authoring/summary.ts';
import type { Summary, View } from '../authoring/define-view.ts';
import { tableOf } from './table-name.ts';
import type { ViewUnit } from './unit.ts';

/** The summaries of this unit's rows after a fill, and from then on with every change of the rows that they depend on. */
export function summaryStatements(schema: string, unit: ViewUnit): readonly string[] {
  return unit.views.flatMap((view) =>
    summariesOf(view)
      // A view that is tested alone has no rows to summarize.
      .filter(([, { of }]) => unit.views.includes(of))
      .flatMap(([name, summary]) => [
        `UPDATE ${tableOf(schema, view)} AS v SET "${name}" = s.value FROM (SELECT key, ${valueOf(tableOf(schema, summary.of), summary)} AS value FROM ${tableOf(schema, view)} AS v) AS s WHERE v.key = s.key AND s.value IS NOT NULL`,
        `CREATE INDEX ON ${tableOf(schema, view)} ("${name}", key)`,
        `CREATE INDEX ON ${tableOf(schema, view)} (key) WHERE parked`,
        ...triggers(schema, view, name, summary),
      ]),
  );
}

const valueOf = (table: string, { column, values }: Summary): string =>
  `CASE ${values.map((value) => `WHEN EXISTS (SELECT FROM ${table} AS o WHERE o."${column}" = v.key || '/${value}') THEN '${value}'`).join(' ')} END`;

/** A rebuild renames its schema, so the function finds the tables by the schema of the trigger's table. */
function triggers(schema: string, view: View, name: string, summary: Summary): readonly string[] {
  const routine = `"${schema}"."summarize_${view.name}_${name}"`;
  const update = `UPDATE %1$I."${view.name}" AS v SET "${name}" = s.value
    FROM (SELECT v.key, ${valueOf(`%1$I."${summary.of.name}"`, summary)} AS value
      FROM (SELECT DISTINCT substr(scope, ${String(view.scope.length + 2)}) AS key FROM changed) AS v) AS s
    WHERE v.key = s.key AND v."${name}" IS DISTINCT FROM s.value`;
  const on = (event: string, rows: 'NEW' | 'OLD'): readonly string[] => {
    const trigger = `"summarize_${view.name}_${name}_${event.toLowerCase()}"`;
    return [
      `DROP TRIGGER IF EXISTS ${trigger} ON ${tableOf(schema, summary.of)}`,
      `CREATE TRIGGER ${trigger} AFTER ${event} ON ${tableOf(schema, summary.of)} REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${routine}()`,
    ];
  };
  return [
    `CREATE OR REPLACE FUNCTION ${routine} () RETURNS trigger LANGUAGE plpgsql AS $trigger$
     BEGIN
       IF EXISTS (SELECT FROM changed) THEN EXECUTE format($update$${update}$update$, TG_TABLE_SCHEMA); END IF;
       RETURN NULL;
     END $trigger$`,
    ...on('INSERT', 'NEW'),
    ...on('UPDATE', 'NEW'),
    ...on('DELETE', 'OLD'),
  ];
}
