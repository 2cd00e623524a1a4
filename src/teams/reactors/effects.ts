export interface EffectOptions {
  /** Distinguishes the effects of one event where their order or number may differ from one try to the next; default: their number. */
  readonly key?: string;
}

export interface HttpEffect extends EffectOptions {
  /** `https:` or `http:`, of a public address; `ALLOW_HOOKS` allows others. */
  readonly url: string;
  /** Default: POST. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or what becomes JSON. */
  readonly body?: unknown;
}

export interface HttpResult {
  readonly status: number;
  /** The first 4 KiB. */
  readonly body: string;
}

export interface CommandEffect extends EffectOptions {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  /** Below `/api`, such as `/project/{id}/start`. */
  readonly path: string;
  readonly body?: unknown;
  /** The token of a service account; default: the variable `WATCHLEDGER_TOKEN` of the process (`TEAM_ENV`). */
  readonly token?: string;
}

export interface SqlResult<Row extends object> {
  readonly rows: readonly Row[];
  /** False: it was done before, and nothing was done now. */
  readonly isFirst: boolean;
}

/**
 * What a reactor does outside. Each effect has a deduplication id, which is the same in every repetition of its event. An effect that fails rejects: the event is tried again, and its
 * partition waits.
 */
export interface Effects {
  /** Sends a request, with its id as `Idempotency-Key`; rejects unless it is answered with 2xx or 3xx. */
  http(effect: HttpEffect): Promise<HttpResult>;
  /** Runs one statement in another Postgres, in a transaction that notes the id there (table `watchledger_effect`): exactly once. */
  sql<Row extends object = Record<string, unknown>>(
    database: string,
    text: string,
    values?: readonly unknown[],
    options?: EffectOptions,
  ): Promise<SqlResult<Row>>;
  /** Sends a command to the API of the service as a service account, with the id as `Idempotency-Key`; rejects unless it is answered with 2xx. */
  command(effect: CommandEffect): Promise<HttpResult>;
}

/** An effect that a rehearsal recorded instead of making it. */
export interface RecordedEffect {
  readonly kind: 'http' | 'sql' | 'command';
  readonly id: string;
  /** Such as `POST https://hooks.example/incident`. */
  readonly summary: string;
  readonly body: string | null;
}

/** The other side refused, failed, or did not answer. */
export class EffectFailed extends Error {
  override readonly name = 'EffectFailed';
}
