import type pg from 'pg';
import type { NewEvent } from '../../src/kernel/event.ts';

const AT = '2026-03-01T';
const evidence = (at: string): object => ({
  runId: '6f1c2b9f6a3f5d0e9b0e4d8a7c5b3a21',
  url: 'https://shop.example/basket',
  at,
  location: 'eu',
  httpStatus: 500,
  milliseconds: 84,
  page: null,
});
const failing = { status: 'error', rules: ['status'], failures: ['expected status 200, got 500'] };

/** A `CheckFailed` event of typical size. */
export function failure(id: string, check: number): NewEvent {
  const at = `${AT}${String(check % 24).padStart(2, '0')}:00:00.000Z`;
  return {
    id,
    type: 'CheckFailed',
    version: 1,
    scope: `project-${String(check % 1_000).padStart(24, '0')}`,
    data: { checkId: `check-${String(check)}`, since: at, failing, confirmed: true, evidence: evidence(at) },
    meta: { actor: { kind: 'checker', id: 'eu' }, correlationId: id, causationId: null, commandId: id, occurredAt: at },
  };
}

/** Failures of many checks in a thousand projects, spread over a day. */
export async function seedFailures(pool: pg.Pool, events: number, checks: number): Promise<void> {
  const { data, meta } = failure('ID', 0);
  const since = `'${AT}' || lpad(((n / 7) % 24)::text, 2, '0') || ':00:00.000Z'`;
  const json = (value: object): string =>
    `'${JSON.stringify(value)
      .replaceAll("'", "''")
      .replaceAll(`${AT}00:00:00.000Z`, `' || ${since} || '`)
      .replace('check-0', `check-' || n % $2 || '`)
      .replaceAll('"ID"', `"' || c || '"`)}'`;
  await pool.query(
    `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
     SELECT n, n::text, gen_random_uuid(), 'verdict-' || n % $2, n / $2, 'CheckFailed', 1, 'project-' || lpad((n % 1000)::text, 24, '0'),
       now() + n * interval '1 microsecond', ${json(data)}, ${json(meta)}
     FROM generate_series(0, $1::bigint - 1) AS n, gen_random_uuid() AS c`,
    [events, checks],
  );
  await pool.query('VACUUM ANALYZE log');
}
