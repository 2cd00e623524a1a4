import type { Post, Reply } from '../../../alerts/channels/post.ts';
import {
  EffectFailed,
  type CommandEffect,
  type EffectOptions,
  type Effects,
  type HttpEffect,
  type HttpResult,
  type SqlResult,
} from '../../reactors/effects.ts';
import type { EffectIds } from './effect-ids.ts';
import type { OtherDatabases } from './other-databases.ts';

export interface LiveEffectsOptions {
  readonly ids: EffectIds;
  /** Through the SSRF guard. */
  readonly post: Post;
  /** Posts to the API of the service, which is no public address. */
  readonly postToService: Post;
  /** Its address, with `/api`; empty: none is known. */
  readonly api: string;
  readonly databases: OtherDatabases;
  /** Aborts when the time of the handler is over: its event is tried again, and nothing of this try may run beside that. */
  readonly signal: AbortSignal;
}

/** Makes the effects of one event. */
export class LiveEffects implements Effects {
  constructor(private readonly options: LiveEffectsOptions) {}

  async http({ url, method = 'POST', headers = {}, body, key }: HttpEffect): Promise<HttpResult> {
    const request = { url, method, body: textOf(body), headers: { ...typeOf(body), ...headers, 'idempotency-key': this.idOf(key) } };
    return resultOf(await this.options.post(request), `${method} ${hostOf(url)}`, 400);
  }

  async sql<Row extends object>(
    database: string,
    text: string,
    values: readonly unknown[] = [],
    { key }: EffectOptions = {},
  ): Promise<SqlResult<Row>> {
    return this.options.databases.once<Row>(database, this.idOf(key), text, values);
  }

  async command({ method, path, body, token = process.env['WATCHLEDGER_TOKEN'], key }: CommandEffect): Promise<HttpResult> {
    const { postToService, api } = this.options;
    const id = this.idOf(key);
    if (token === undefined)
      throw new EffectFailed('a command needs the token of a service account: set WATCHLEDGER_TOKEN and name it in TEAM_ENV');
    if (api === '') throw new EffectFailed('a command needs the address of the API: set PUBLIC_URL, or add the role api');
    const headers = { ...typeOf(body ?? {}), authorization: `Bearer ${token}`, ...(method !== 'GET' && { 'idempotency-key': id }) };
    return resultOf(await postToService({ url: `${api}${path}`, method, body: textOf(body ?? {}), headers }), `${method} ${path}`, 300);
  }

  private idOf(key: string | undefined): string {
    if (this.options.signal.aborted) throw new EffectFailed('the time of the handler is over');
    return this.options.ids.next(key);
  }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));

const typeOf = (body: unknown): Record<string, string> =>
  body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json' };

/** The rest of an address may hold a key. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that is none';
}

function resultOf(reply: Reply, what: string, refusedFrom: number): HttpResult {
  if (reply.kind !== 'answered') throw new EffectFailed(`${what}: ${reply.reason}`);
  const { status, body } = reply;
  if (status < 200 || status >= refusedFrom) throw new EffectFailed(`${what}: answered with ${String(status)}: ${body.slice(0, 200)}`);
  return { status, body };
}
