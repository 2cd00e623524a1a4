import { EventFeed, type FeedOptions } from './event-feed.ts';
import { changingGets, lists, type paths, unkeyedWrites } from './generated/api.ts';
import { LiveStream, type LiveOptions } from './live-stream.ts';
import { ListReader, nextCursorOf, type ReadPage } from './pages.ts';
import { Subscriber, type SubscribeOptions } from './subscriber.ts';
import { type ClientRequest, type ReceivedBytes, Transport, type ClientOptions } from './transport.ts';
import type {
  ApiAnswer,
  Arguments,
  CallOptions,
  DataOf,
  HttpMethod,
  ItemOf,
  ListPath,
  OptionsOf,
  PathOf,
  ConditionalRead,
  Schemas,
  WriteConditions,
} from './types.ts';

/** Any request, without the types of its operation. */
export interface UntypedOptions extends CallOptions, WriteConditions, ConditionalRead<unknown> {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

type Reading = Omit<UntypedOptions, 'body' | 'ifMatch' | 'idempotencyKey' | 'previous'>;
type ListOptions<Path extends ListPath> = Omit<OptionsOf<Path, 'get'>, 'previous' | 'idempotencyKey'>;
type ProjectFeedOptions = Omit<FeedOptions, 'scope'> & { readonly path: { readonly id: string } };

/** A client of the API of Watchledger: typed by its OpenAPI document, without dependencies, for Node and browsers. */
export class WatchledgerClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
  }

  /** The same service with other options, such as another token. */
  with(options: ClientOptions): WatchledgerClient {
    return new WatchledgerClient({ ...this.#transport.options, ...options });
  }

  get<Path extends PathOf<'get'>>(path: Path, ...[options]: Arguments<OptionsOf<Path, 'get'>>): Promise<ApiAnswer<DataOf<Path, 'get'>>> {
    return this.#call('get', path, options);
  }

  post<Path extends PathOf<'post'>>(
    path: Path,
    ...[options]: Arguments<OptionsOf<Path, 'post'>>
  ): Promise<ApiAnswer<DataOf<Path, 'post'>>> {
    return this.#call('post', path, options);
  }

  put<Path extends PathOf<'put'>>(path: Path, ...[options]: Arguments<OptionsOf<Path, 'put'>>): Promise<ApiAnswer<DataOf<Path, 'put'>>> {
    return this.#call('put', path, options);
  }

  patch<Path extends PathOf<'patch'>>(
    path: Path,
    ...[options]: Arguments<OptionsOf<Path, 'patch'>>
  ): Promise<ApiAnswer<DataOf<Path, 'patch'>>> {
    return this.#call('patch', path, options);
  }

  delete<Path extends PathOf<'delete'>>(
    path: Path,
    ...[options]: Arguments<OptionsOf<Path, 'delete'>>
  ): Promise<ApiAnswer<DataOf<Path, 'delete'>>> {
    return this.#call('delete', path, options);
  }

  /** The items of a list, from `query.cursor` or the beginning. */
  list<Path extends ListPath>(path: Path, ...[options]: Arguments<ListOptions<Path>>): ListReader<DataOf<Path, 'get'>, ItemOf<Path>> {
    const reading: Reading = { ...(options as Reading | undefined) }; // less what a list has no use for
    const query = (reading.query ?? {}) as { readonly cursor?: string }; // of a list
    const member = lists[path];
    const read = async (cursor: string | null): Promise<ReadPage<DataOf<Path, 'get'>>> => {
      const answer = await this.#answer<DataOf<Path, 'get'>>('get', path, {
        ...reading,
        query: { limit: 100, ...query, ...(cursor !== null && { cursor }) },
      });
      return { page: answer.data, next: nextCursorOf(answer.headers.get('link')) };
    };
    // Cast: `lists` is made from the description of the answers.
    const itemsOf = (page: unknown): readonly ItemOf<Path>[] =>
      (member === null ? page : (page as Readonly<Record<string, unknown>>)[member]) as readonly ItemOf<Path>[];
    return new ListReader(read, itemsOf, query.cursor ?? null);
  }

  /** Events after a position, of everything that the caller may read or of one project. */
  follow(path: '/events', options?: FeedOptions): EventFeed;
  follow(path: '/project/{id}/history', options: ProjectFeedOptions): EventFeed;
  follow(path: string, options: FeedOptions & { readonly path?: object } = {}): EventFeed {
    const { waitSeconds = 30, limit = 500, untilHead = false, signal, type, scope } = options;
    const wait = untilHead ? 0 : waitSeconds;
    const timeoutMs = (this.#transport.options.timeoutMs ?? 30_000) + wait * 1000;
    const read = async (after = '-1'): Promise<Schemas['FeedPage']> => {
      const query = { after, limit, wait, type, scope };
      const request = requestOf('get', path, { path: options.path, query, timeoutMs, ...(signal && { signal }) });
      // Cast: both paths answer such a page where `after` is given.
      return dataOf(await this.#transport.send({ ...request, isPatient: !untilHead })) as Schemas['FeedPage'];
    };
    return new EventFeed(read, options);
  }

  /** Changes of state and results of a project as they come. */
  live(projectId: string, options: LiveOptions = {}): LiveStream {
    return new LiveStream(this.#transport, pathOf('/project/{id}/live', { id: projectId }, undefined), options);
  }

  /** Events of a subscription that is shared with other consumers, in a loop that acknowledges them. */
  subscribe(name: string, options: SubscribeOptions = {}): Subscriber {
    const { consumer = `client-${randomKey().slice(0, 8)}`, limit = 100, waitSeconds = 30, signal } = options;
    const timeoutMs = (this.#transport.options.timeoutMs ?? 30_000) + waitSeconds * 1000;
    // Without a key: what is read twice is delivered to another consumer, and what is acknowledged twice is done.
    const post = async (
      action: 'read' | 'ack' | 'nack',
      body: object,
      more: Pick<ClientRequest, 'signal' | 'timeoutMs'>,
    ): Promise<unknown> => {
      const { headers, ...request } = requestOf('post', '/subscriptions/{name}/{action}', { path: { name, action }, body });
      const { 'idempotency-key': _, ...unkeyed } = headers;
      const isPatient = action === 'read';
      return dataOf(await this.#transport.send({ ...request, ...more, headers: unkeyed, repeatable: 'always', isPatient }));
    };
    return new Subscriber({
      // Cast: the service answers as it is described.
      read: () => post('read', { consumer, limit, wait: waitSeconds }, { signal, timeoutMs }) as Promise<Schemas['SubscriptionPage']>,
      ack: (tokens) => post('ack', { tokens }, {}),
      nack: (tokens, refusal) => post('nack', { tokens, ...refusal }, {}),
    });
  }

  /** The bytes of an answer, for what has no type: routes of team packages, signed answers. Path, retries and errors are those of the other methods. */
  raw(method: HttpMethod, path: string, options: UntypedOptions = {}): Promise<ReceivedBytes> {
    return this.#transport.send(requestOf(method, path, options));
  }

  #call<Path extends keyof paths, Method extends HttpMethod>(
    method: Method,
    path: Path,
    options: UntypedOptions | undefined,
  ): Promise<ApiAnswer<DataOf<Path, Method>>> {
    return this.#answer(method, path, options ?? {});
  }

  async #answer<Data>(method: HttpMethod, path: string, options: UntypedOptions): Promise<ApiAnswer<Data>> {
    const { previous } = options;
    const received = await this.raw(method, path, options);
    const { status, headers } = received;
    // Cast: the caller gave an answer to the same request.
    if (status === 304 && previous !== undefined) return { ...(previous as ApiAnswer<Data>), isUnchanged: true };
    const asOf = /^\d+/.exec(headers.get('watchledger-as-of') ?? '')?.[0];
    return {
      // Cast: the service answers as it is described.
      data: dataOf(received) as Data,
      status,
      headers,
      etag: headers.get('etag'),
      asOf: asOf === undefined ? null : Number(asOf),
      isUnchanged: false,
    };
  }
}

function requestOf(method: HttpMethod, path: string, options: UntypedOptions): ClientRequest {
  const { body, ifMatch, previous, idempotencyKey, signal, timeoutMs } = options;
  const verb = method.toUpperCase();
  const changes = method === 'get' ? changingGets.includes(path) : true;
  const isKeyed = changes && !unkeyedWrites.includes(`${verb} ${path}`);
  const tag = typeof ifMatch === 'object' ? ifMatch.etag : (ifMatch ?? null);
  const since = previous?.etag ?? null;
  return {
    method: verb,
    path: pathOf(path, options.path, options.query),
    headers: {
      ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }),
      ...(isKeyed && { 'idempotency-key': idempotencyKey ?? randomKey() }),
      ...(tag !== null && { 'if-match': tag }),
      ...(since !== null && { 'if-none-match': since }),
      ...options.headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    repeatable: changes && !isKeyed ? 'when refused' : 'always',
    signal,
    timeoutMs,
  };
}

/** `crypto.randomUUID` is missing in pages without TLS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

function pathOf(path: string, parameters: object | undefined, query: object | undefined): string {
  const values = { ...parameters } as Readonly<Record<string, string | number | undefined>>; // by name
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    if (value === '' || value === '.' || value === '..') throw new TypeError(`${name}: is missing, or cannot stand in a path`);
    // The path of a tile has slashes.
    return value
      .split('/')
      .map(encodeURIComponent)
      .join(name === 'tile' ? '/' : '%2F');
  });
  const search = new URLSearchParams();
  for (const [name, given] of Object.entries(query ?? {})) {
    for (const value of Array.isArray(given) ? (given as unknown[]) : [given]) {
      if (value !== undefined && value !== null) search.append(name, String(value));
    }
  }
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

function dataOf({ headers, bytes }: ReceivedBytes): unknown {
  const type = headers.get('content-type') ?? '';
  if (bytes.length === 0) return undefined;
  if (!/json|^text\/|^image\/svg/.test(type)) return bytes;
  const text = new TextDecoder().decode(bytes);
  return /[/+]json/.test(type) ? JSON.parse(text) : text;
}
