import type { components, lists, paths } from './generated/api.ts';

/** The named schemas of the API, such as `Schemas['Project']`. */
export type Schemas = components['schemas'];

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Lists = typeof lists;

/** The paths that have this method. */
export type PathOf<Method extends HttpMethod> = {
  [Path in keyof paths]: Method extends keyof paths[Path] ? Path : never;
}[keyof paths];

/** The paths that answer a list in pages. */
export type ListPath = keyof Lists & PathOf<'get'>;

type OperationOf<Path extends keyof paths, Method extends HttpMethod> = Method extends keyof paths[Path] ? paths[Path][Method] : never;
type ParametersOf<Operation> = Operation extends { readonly parameters: infer Parameters } ? Parameters : never;
type MemberOf<From, Name extends string> = Name extends keyof From ? Pick<From, Name> : { readonly [None in Name]?: never };

/** JSON where the operation has it, else another form. */
type PreferredOf<Content> = 'application/json' extends keyof Content ? Content['application/json'] : Content[keyof Content];
type BodyOf<Operation> = Operation extends { readonly requestBody: { readonly content: infer Content } }
  ? { readonly body: PreferredOf<Content> }
  : Operation extends { readonly requestBody?: { readonly content: infer Content } }
    ? 'requestBody' extends keyof Operation
      ? { readonly body?: PreferredOf<Content> }
      : { readonly body?: never }
    : { readonly body?: never };

/** What any request may say. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The timeout of one attempt, from its beginning to the last byte of the answer. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WriteConditions {
  /** Refuses the write with 412 where the settings of the object were changed since this answer, or the one with this `ETag`. */
  readonly ifMatch?: string | { readonly etag: string | null };
  /** Made for each write unless given; pass a stored one to repeat a write after a restart of the caller. */
  readonly idempotencyKey?: string;
}

export interface ConditionalRead<Data> {
  /** An earlier answer to the same request: it is answered again, without a transfer, where nothing changed since. */
  readonly previous?: ApiAnswer<Data>;
}

export type OptionsOf<Path extends keyof paths, Method extends HttpMethod> = MemberOf<ParametersOf<OperationOf<Path, Method>>, 'path'> &
  MemberOf<ParametersOf<OperationOf<Path, Method>>, 'query'> &
  BodyOf<OperationOf<Path, Method>> &
  CallOptions &
  (Method extends 'get' ? ConditionalRead<DataOf<Path, 'get'>> & Pick<WriteConditions, 'idempotencyKey'> : WriteConditions);

/** Optional where every member of the options is. */
export type Arguments<Options> = object extends Options ? [options?: Options] : [options: Options];

export type DataOf<Path extends keyof paths, Method extends HttpMethod> =
  OperationOf<Path, Method> extends { readonly responses: { readonly 200: { readonly content: infer Content } } }
    ? PreferredOf<Content>
    : undefined;

export type ItemOf<Path extends ListPath> = Lists[Path] extends null
  ? DataOf<Path, 'get'> extends readonly (infer Item)[]
    ? Item
    : never
  : DataOf<Path, 'get'> extends { readonly [Member in Lists[Path] & string]: readonly (infer Item)[] }
    ? Item
    : never;

export interface ApiAnswer<Data> {
  readonly data: Data;
  readonly status: number;
  readonly headers: Headers;
  /** The entity tag of what was read, for `ifMatch`. */
  readonly etag: string | null;
  /** The position of the log that the answer stands on. */
  readonly asOf: number | null;
  /** It is the `previous` one: nothing changed since. */
  readonly isUnchanged: boolean;
}
