import type { CliAction } from '../../platform/cli/command.ts';
import { WATCH, watched } from '../../platform/cli/watched.ts';
import { openPool } from '../../platform/postgres/pool.ts';
import { routedPool } from '../../platform/postgres/read-replicas/routed-pool.ts';
import { onReplica, withResources } from '../../app/with-parts.ts';

const STATEMENT_MS = 5_000;

/** For operators without a Postgres client. */
export const query: CliAction = {
  about: "Read a team's tables with SQL, such as SELECT * FROM p_NAME.TABLE; changes nothing",
  args: ['SQL'],
  options: WATCH,
  run: ({ input, config, output }) =>
    withResources(config(), output, async (resources) => {
      const { databaseUrl, connectionWatch: watch } = resources;
      const pool = openPool(databaseUrl, { name: 'query', max: 1, statementTimeoutMs: STATEMENT_MS, readOnly: true, watch });
      const routed = routedPool(pool);
      try {
        return await watched(input, output, async (shown) => {
          const { rows } = await onReplica(resources, () => routed.query<Record<string, unknown>>(input.args[0] ?? ''));
          shown.result({ rows }, () => lines(rows).join('\n'));
          return 0;
        });
      } finally {
        await pool.end();
      }
    }),
};

function lines(rows: readonly Record<string, unknown>[]): readonly string[] {
  const [first] = rows;
  if (first === undefined) return ['(no rows)'];
  const names = Object.keys(first);
  const cells = [names, ...rows.map((row) => names.map((name) => cellText(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(names), widths.map((width) => '-'.repeat(width)).join('  '), ...cells.slice(1).map(line)];
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
