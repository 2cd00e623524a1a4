import pg from 'pg';
import { pause } from '../../kernel/abortable.ts';
import { DatabaseClient } from './database-client.ts';
import { connectionSettings } from './connection-settings.ts';

/** The error of a connection that the watch has discarded. Transient: the same statement on a new connection may succeed. */
export class ConnectionSilent extends Error {
  override readonly name = 'ConnectionSilent';
}

export interface PendingStatement {
  /** By `performance.now()`. */
  readonly since: number;
  /** A COPY is idle at the server while a slow reader still empties the buffers. */
  readonly isCopy: boolean;
}

/** A connection as the watch sees it. */
export interface WatchedConnection {
  /** Its process at the server and when that began; null until the connection is established. */
  readonly backend: string | null;
  readonly openedAt: number;
  /** Waits for a server that does not answer, unless another one has taken its place. */
  readonly isPatient: boolean;
  /** The statement that has not been answered yet. */
  readonly statement: PendingStatement | null;
  readonly bytesRead: number;
  discard(reason: ConnectionSilent): void;
}

/**
 * Why connections were discarded. `unanswered`: the server answers neither on them nor on a new connection. `moved`: new connections reach a server
 * that does not know them. `half-open`: the server considers their statement answered, and the answer never came.
 */
export const SILENCE_KINDS = ['unanswered', 'moved', 'half-open'] as const;
export type SilenceKind = (typeof SILENCE_KINDS)[number];

const REASONS: Readonly<Record<SilenceKind, string>> = {
  unanswered: 'the connection was closed: the database does not answer',
  moved: 'the connection was closed: its session is not known to the server that answers now',
  'half-open': 'the connection was closed: the answer of the server did not arrive',
};

export interface ConnectionWatchOptions {
  readonly url: string;
  /** How long an answer may take, on the current connection of the watch and then on a new one. */
  readonly silentMs: number;
  readonly onDiscarded: (kind: SilenceKind, connections: number) => void;
  /** With the seconds of silence, null when the database answers again. */
  readonly onSilence: (seconds: number | null) => void;
}

interface Probe {
  readonly client: pg.Client;
  readonly openedAt: number;
  renewAt: number;
}

interface BackendState {
  readonly backend: string;
  readonly state: string | null;
  readonly changed: string | null;
}

/** `unknown`: refused by a server that answers, as when it has no connection left. */
type Answer = readonly BackendState[] | 'silent' | 'unknown';

const ROUND_MS = 1_000;
const SILENT_ROUND_MS = 250;
/** While no statement waits for an answer. */
const QUIET_ROUND_MS = 5_000;
/** A new connection shows where new connections lead, also while the old server still answers. */
const PROBE_LIFE_MS = 10_000;
/** While the service stops, silence is noticed sooner. */
const STOPPING_SILENT_MS = 2_000;

const STATES = `SELECT pid || ' ' || extract(epoch FROM backend_start) AS backend, state, extract(epoch FROM state_change)::text AS changed
  FROM pg_stat_activity WHERE pid || ' ' || extract(epoch FROM backend_start) = ANY($1::text[])`;

/**
 * Failure detector for the database connections of a process. A connection whose peer is suspended, replaced or unreachable looks like one with a slow
 * statement. So a connection of its own asks the server which sessions it knows and what they do, every second while a statement waits, and connections that
 * cannot be answered any more are closed: their statements reject at once, and leased loops begin again on new connections (docs/decisions/silent-connections.md).
 */
export class ConnectionWatch {
  private readonly connections = new Set<WatchedConnection>();
  private readonly closing = new AbortController();
  private probe: Probe | null = null;
  private running: Promise<void> | undefined;
  private isStopping = false;
  private silentSince: number | null = null;
  private askedAt = -Infinity;
  /** Seemingly half-open in the last round. */
  private suspects = new Map<WatchedConnection, string>();

  constructor(private readonly options: ConnectionWatchOptions) {}

  add(connection: WatchedConnection): void {
    this.connections.add(connection);
    this.running ??= this.run();
    // Every part that ends would wait for one more attempt.
    if (this.isStopping && this.silentSince !== null) setImmediate(() => this.discard('unanswered', [connection]));
  }

  forget(connection: WatchedConnection): void {
    this.connections.delete(connection);
  }

  /** From now on statements and connection attempts fail at once while the database does not answer. */
  stopping(): void {
    this.isStopping = true;
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.dropProbe();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      await pause(this.isStopping || this.silentSince !== null ? SILENT_ROUND_MS : ROUND_MS, signal);
      if (!signal.aborted && this.isDue()) await this.round();
    }
    this.dropProbe();
  }

  private isDue(): boolean {
    if (this.isStopping || this.silentSince !== null) return true;
    if (performance.now() - this.askedAt >= QUIET_ROUND_MS) return true;
    return [...this.connections].some(({ backend, statement }) => backend === null || statement !== null);
  }

  private async round(): Promise<void> {
    const asked = [...this.connections].filter(({ backend }) => backend !== null);
    const began = performance.now();
    this.askedAt = began;
    const { answer, isReopened } = await this.ask(asked.flatMap(({ backend }) => backend ?? []));
    if (this.closing.signal.aborted || answer === 'unknown') return;
    if (answer === 'silent') {
      this.silentSince ??= began;
      this.options.onSilence((performance.now() - this.silentSince) / 1_000);
      this.discardUnanswered();
      return;
    }
    if (this.silentSince !== null) this.options.onSilence(null);
    const stuck = this.silentSince !== null || isReopened ? this.connecting() : [];
    this.silentSince = null;
    this.discard('moved', [...this.moved(asked, answer), ...stuck]);
    this.discardHalfOpen(asked, answer);
  }

  /** What waits for an answer longer than two rounds of silence. An idle connection may be of use again. */
  private discardUnanswered(): void {
    const now = performance.now();
    const overdue = [...this.connections].filter(({ statement, isPatient }) => {
      if (this.isStopping) return true;
      return statement !== null && !isPatient && now - statement.since >= 2 * this.options.silentMs;
    });
    this.discard('unanswered', overdue);
  }

  private moved(asked: readonly WatchedConnection[], answer: readonly BackendState[]): readonly WatchedConnection[] {
    const known = new Set(answer.map(({ backend }) => backend));
    const probedAt = this.probe?.openedAt ?? 0;
    const unknown = asked.filter((connection) => this.connections.has(connection) && !known.has(connection.backend ?? ''));
    // Opened after the probe, so perhaps the probe is the one on a former server: the next round has a new one.
    if (unknown.some(({ openedAt }) => openedAt > probedAt)) this.dropProbe();
    return unknown.filter(({ openedAt }) => openedAt <= probedAt);
  }

  /** Attempts that began before the probe, which succeeded, and so perhaps wait for a former server. */
  private connecting(): readonly WatchedConnection[] {
    const probedAt = this.probe?.openedAt ?? 0;
    return [...this.connections].filter(({ backend, openedAt }) => backend === null && openedAt < probedAt);
  }

  /** Twice in a row idle at the server since the same moment, while this side waits for the same statement and reads nothing. */
  private discardHalfOpen(asked: readonly WatchedConnection[], answer: readonly BackendState[]): void {
    const states = new Map(answer.map((state) => [state.backend, state]));
    const before = this.suspects;
    this.suspects = new Map();
    for (const connection of asked) {
      const { statement, backend, bytesRead } = connection;
      const { state, changed } = states.get(backend ?? '') ?? {};
      if (statement === null || statement.isCopy || state?.startsWith('idle') !== true) continue;
      this.suspects.set(connection, [statement.since, changed, bytesRead].join(' '));
    }
    const lost = [...this.suspects].filter(([connection, sign]) => before.get(connection) === sign).map(([connection]) => connection);
    for (const { backend } of lost) this.endSession(backend);
    this.discard('half-open', lost);
  }

  /** Its locks must not wait until the server notices. */
  private endSession(backend: string | null): void {
    const [pid] = (backend ?? '').split(' ');
    this.probe?.client.query('SELECT pg_terminate_backend($1)', [Number(pid)]).catch(() => undefined);
  }

  private discard(kind: SilenceKind, connections: readonly WatchedConnection[]): void {
    for (const connection of connections) {
      this.forget(connection);
      connection.discard(new ConnectionSilent(REASONS[kind]));
    }
    if (connections.length > 0) this.options.onDiscarded(kind, connections.length);
  }

  /** `isReopened`: the connection of the last round did not answer, a new one does. */
  private async ask(backends: readonly string[]): Promise<{ answer: Answer; isReopened: boolean }> {
    const isNewSilent = await this.renewProbe();
    let isReopened = false;
    if (this.probe !== null) {
      const answer = await this.statesOf(backends, this.probe);
      if (answer !== 'silent') return { answer, isReopened };
      this.dropProbe();
      if (isNewSilent) return { answer, isReopened };
      isReopened = true;
    }
    const opened = await this.openProbe();
    if (typeof opened !== 'object') return { answer: opened, isReopened };
    this.probe = opened;
    const answer = await this.statesOf(backends, opened);
    if (answer === 'silent') this.dropProbe();
    return { answer, isReopened };
  }

  /** Keeps the old probe where no new connection can be had. True when an attempt was not answered. */
  private async renewProbe(): Promise<boolean> {
    const old = this.probe;
    if (old === null || performance.now() < old.renewAt) return false;
    const successor = await this.openProbe();
    old.renewAt = performance.now() + PROBE_LIFE_MS;
    if (typeof successor !== 'object') return successor === 'silent';
    this.dropProbe();
    this.probe = successor;
    return false;
  }

  private async statesOf(backends: readonly string[], { client }: Probe): Promise<Answer> {
    try {
      return (await client.query<BackendState>(STATES, [backends])).rows;
    } catch (error) {
      return error instanceof pg.DatabaseError ? 'unknown' : 'silent';
    }
  }

  private async openProbe(): Promise<Probe | 'silent' | 'unknown'> {
    const timeoutMs = this.isStopping ? Math.min(STOPPING_SILENT_MS, this.options.silentMs) : this.options.silentMs;
    const openedAt = performance.now();
    const settings = connectionSettings(this.options.url, { name: 'watch', statementTimeoutMs: timeoutMs });
    const client = new DatabaseClient({ ...settings, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return { client, openedAt, renewAt: openedAt + PROBE_LIFE_MS };
    } catch (error) {
      client.connection.stream.destroy();
      return error instanceof pg.DatabaseError ? 'unknown' : 'silent';
    }
  }

  private dropProbe(): void {
    this.probe?.client.connection.stream.destroy();
    this.probe = null;
  }
}
