import type pg from 'pg';

/** On the postgres engine the position of an event is its `n`. */
const OWN = /^\d+$/;

/**
 * The last `n` at or before a position of the store, null while the log has not come as far. An engine whose positions are not `n` writes
 * them so that they compare as text. They grow with `n`, so stepping back from the head in doubling strides, then halving, finds it
 * without an index to keep; what is asked for was mostly just written, and found at the first looks.
 */
export async function nOfPosition(pool: pg.Pool, position: string): Promise<number | null> {
  if (OWN.test(position)) return Number(position);
  const { rows } = await pool.query<Row>({ name: 'last_position', text: 'SELECT n, source_position FROM log ORDER BY n DESC LIMIT 1' });
  const head = rows[0];
  if (head === undefined || head.source_position < position) return null;
  let high = Number(head.n);
  if (head.source_position === position) return high;
  let low = high;
  for (let stride = 1; low >= 0 && (await positionAt(pool, low)) > position; stride *= 2) {
    high = low;
    low = Math.max(low - stride, -1);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await positionAt(pool, middle)) <= position) low = middle;
    else high = middle;
  }
  return low;
}

interface Row {
  readonly n: string;
  readonly source_position: string;
}

async function positionAt(pool: pg.Pool, n: number): Promise<string> {
  const { rows } = await pool.query<Row>({ name: 'position_at', text: 'SELECT n, source_position FROM log WHERE n = $1', values: [n] });
  const row = rows[0];
  if (row === undefined) throw new RangeError(`the log has no event ${String(n)}`);
  return row.source_position;
}
