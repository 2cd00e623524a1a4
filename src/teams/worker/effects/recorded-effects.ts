import type { CommandEffect, EffectOptions, Effects, HttpEffect, HttpResult, RecordedEffect, SqlResult } from '../../reactors/effects.ts';
import type { EffectIds } from './effect-ids.ts';

const MOST = 1_000;
const MAX_BODY = 2_000;

/** Records the effects of one event instead of making them, and answers as if each had succeeded. */
export class RecordedEffects implements Effects {
  readonly recorded: RecordedEffect[] = [];

  constructor(private readonly ids: EffectIds) {}

  http({ url, method = 'POST', body, key }: HttpEffect): Promise<HttpResult> {
    this.note('http', key, `${method} ${url}`, body);
    return Promise.resolve({ status: 200, body: '' });
  }

  sql<Row extends object>(
    _database: string,
    text: string,
    values: readonly unknown[] = [],
    { key }: EffectOptions = {},
  ): Promise<SqlResult<Row>> {
    this.note('sql', key, text, values);
    return Promise.resolve({ rows: [], isFirst: true });
  }

  command({ method, path, body, key }: CommandEffect): Promise<HttpResult> {
    this.note('command', key, `${method} ${path}`, body);
    return Promise.resolve({ status: 200, body: '{}' });
  }

  private note(kind: RecordedEffect['kind'], key: string | undefined, summary: string, body: unknown): void {
    if (this.recorded.length >= MOST) throw new Error(`one event has more than ${String(MOST)} effects`);
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    this.recorded.push({ kind, id: this.ids.next(key), summary: summary.slice(0, MAX_BODY), body: text?.slice(0, MAX_BODY) ?? null });
  }
}
