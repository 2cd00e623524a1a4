import type pg from 'pg';
import type { LongRunning } from '../../kernel/lifecycle.ts';
import { repeatUntilAborted } from '../../kernel/abortable.ts';

export interface EndedSession {
  readonly role: string;
  readonly reason: string;
}

const ROUND_MS = 2_000;
/** Beyond these the role has lifted its own limits, which every role may do. */
const STATEMENT_SECONDS = 30;
const TRANSACTION_SECONDS = 120;

/** A fill copies in small steps and rests in between, within one statement. */
const COPY = `a.query ~ '^COPY [^;]* FROM STDIN[^;]*$'`;

/** Materialized: only the sessions that were found are ended. */
const END = `
  WITH session AS (
    SELECT a.pid, a.usename AS role, CASE
      WHEN EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory') THEN 'it took an advisory lock'
      WHEN ${COPY} THEN NULL
      WHEN a.state = 'active' AND a.query_start < clock_timestamp() - interval '${String(STATEMENT_SECONDS)} seconds'
        THEN 'its statement took more than ${String(STATEMENT_SECONDS)} s'
      WHEN a.xact_start < clock_timestamp() - interval '${String(TRANSACTION_SECONDS)} seconds'
        THEN 'its transaction took more than ${String(TRANSACTION_SECONDS)} s'
    END AS reason
    FROM pg_stat_activity a WHERE a.datname = current_database()
      AND starts_with(a.usename, 'watchledger_' || left(encode(sha256(convert_to(current_database()::text, 'UTF8')), 'hex'), 8) || '_')
  ), overdue AS MATERIALIZED (SELECT * FROM session WHERE reason IS NOT NULL)
  SELECT role, reason FROM overdue, LATERAL pg_terminate_backend(pid)`;

/**
 * A role may change its own settings and call every function of Postgres, so its limits do not bound the code that it was made for: this ends the sessions of teams that hold an
 * advisory lock, where the service could wait for it, or a statement or transaction for longer than any of ours takes.
 */
export class SessionGuard implements LongRunning {
  readonly name = 'database sessions of teams';
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly db: pg.Pool,
    private readonly onEnded: (session: EndedSession) => void,
  ) {}

  start(): void {
    this.running ??= repeatUntilAborted(this.closing.signal, ROUND_MS, async () => {
      // An outage ends the sessions, too.
      await this.endOverdue().catch(() => undefined);
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  async endOverdue(): Promise<void> {
    const { rows } = await this.db.query<EndedSession>({ name: 'team_sessions', text: END });
    for (const session of rows) this.onEnded(session);
  }
}
