import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readLogRows } from '../../event-store/log-rows.ts';
import { catalogue, type Events, type EventType } from '../../../events.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import { derivedId } from '../../../kernel/ids.ts';
import type { Log, LogQuery } from '../../log/log.ts';

interface SpecBody {
  readonly scope: string;
  readonly type: string;
  readonly version?: number;
  readonly data: object;
  readonly occurredAt?: string;
}

/** A log that a test writes directly, without a store and its rules. */
export class SpecLog implements Log {
  private readonly revisions = new Map<string, number>();
  private n = -1;

  constructor(private readonly db: pg.Pool) {}

  /** Appends to the stream that has the scope's name. */
  async append<Type extends EventType>(scope: string, type: Type, data: Events[Type]): Promise<LogEvent> {
    const [event] = await this.appendAll([{ scope, type, data }]);
    if (event === undefined) throw new Error('nothing was appended');
    return event;
  }

  async appendAll(bodies: readonly SpecBody[]): Promise<LogEvent[]> {
    const events = bodies.map((body) => this.newEvent(body));
    const column = (value: (event: LogEvent) => unknown): unknown[] => events.map(value);
    await this.db.query(
      `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
       SELECT n, n::text, id, stream, revision, type, version, scope, recorded_at, data, meta
       FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::smallint[], $7::text[], $8::timestamptz[], $9::text[], $10::text[])
         AS e(n, id, stream, revision, type, version, scope, recorded_at, data, meta)`,
      [
        column(({ n }) => n),
        column(({ id }) => id),
        column(({ stream }) => stream),
        column(({ revision }) => revision),
        column(({ type }) => type),
        column(({ version }) => version),
        column(({ scope }) => scope),
        column(({ recordedAt }) => recordedAt),
        column(({ data }) => JSON.stringify(data)),
        column(({ meta }) => JSON.stringify(meta)),
      ],
    );
    return events;
  }

  private newEvent({ scope, type, version, data, occurredAt }: SpecBody): LogEvent {
    const n = ++this.n;
    const revision = (this.revisions.get(scope) ?? -1) + 1;
    this.revisions.set(scope, revision);
    const id = derivedId('spec', n);
    const recordedAt = new Date(Date.now()).toISOString().replace('Z', `${String(n % 1000).padStart(3, '0')}Z`);
    const meta = {
      actor: { kind: 'user', id: '1' },
      correlationId: id,
      causationId: null,
      commandId: id,
      occurredAt: occurredAt ?? new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
    } as const;
    // Cast: a test may write a type that is not in the catalogue.
    const current = (catalogue as Record<string, { version: number } | undefined>)[type]?.version ?? 1;
    return { n, id, stream: scope, revision, type, version: version ?? current, scope, recordedAt, data, meta };
  }

  read({ after, until, scope, limit, isLazy }: LogQuery): Promise<readonly LogEvent[]> {
    return readLogRows(this.db, {
      isLazy,
      name: `spec_log_${String(scope !== undefined)}`,
      rows: `SELECT * FROM log WHERE n > $1 AND n <= $2 AND ($4::text IS NULL OR scope = $4) ORDER BY n LIMIT $3`,
      values: [after, until ?? Number.MAX_SAFE_INTEGER, limit, scope ?? null],
    });
  }

  async head(): Promise<number> {
    const { rows } = await this.db.query<{ n: string }>('SELECT coalesce(max(n), -1) AS n FROM log');
    return Number(rows[0]?.n);
  }

  async waitBeyond(after: number, milliseconds: number): Promise<boolean> {
    const deadline = Date.now() + milliseconds;
    while (Date.now() < deadline) {
      if ((await this.head()) > after) return true;
      await sleep(10);
    }
    return false;
  }

  at(): Promise<number> {
    return Promise.reject(new Error('not supported by SpecLog'));
  }

  follow(): AsyncIterable<readonly LogEvent[]> {
    throw new Error('not supported by SpecLog');
  }

  locate(position: string): Promise<number> {
    return Promise.resolve(Number(position));
  }
}
