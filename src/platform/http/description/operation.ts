import { fieldSchemas, type InputClass, inputSchema } from '../validation/input.ts';
import type { ListDefinition } from '../lists/list.ts';
import { exampleOf } from './example.ts';
import { anything, type Fields, named, record, removable, type Schema, text } from './schema.ts';

/** Headings under which the documentation page groups operations. */
export const tags = {
  Authentication: 'Sign in, and read the owner of a token.',
  Account: "The caller's own account: personal tokens, channels, deliveries.",
  Accounts: 'All accounts, for the administrators of the installation.',
  Projects: 'A project is a monitored site.',
  Members: 'Users of a project and their roles.',
  Groups: 'Areas: groups of checks with rules, a sign-in and a period of their own.',
  Tests: 'Checks: a fetch of a URL and rules over its answer.',
  Jobs: 'Runs on request, and their results.',
  Status: 'Current status of a project and its tests.',
  Uptime: 'Uptime and response times, as figures and as pictures.',
  Notifications: 'Notification settings of a user in a project.',
  Maintenance: 'Windows in which no alert is sent.',
  History: 'Every recorded event, with causes and consequences.',
  Destinations: 'Receivers to which events are pushed.',
  Subscriptions: 'Consumers that share the events of the log, with acknowledgements.',
  StatusPages: 'Public pages that say what works, and incidents on them.',
  Seal: 'The log as a transparency log: checkpoints, tiles, proofs.',
  Projections: 'The read models and the consumers of the log, for operators.',
  Teams: 'Routes of team packages.',
  Service: 'Health, metrics and this description.',
} as const;
export type Tag = keyof typeof tags;

/** A body in one media type. */
export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  /** The schema of a line, where the answer is JSON lines. */
  readonly lines?: Schema;
  /** The schema of the data of a message, where the answer is server-sent events. */
  readonly messages?: Schema;
}

export type Contents = Readonly<Record<string, Content>>;

/** A refusal of one operation: its reason, and the schema of its body when it is not `Error`. */
export interface Refusal {
  readonly why: string;
  readonly schema?: 'Message' | 'StartError' | 'SecondFactorNeeded' | 'EvidenceExpired' | 'PreconditionFailed';
  /** A browser gets a page. */
  readonly asPage?: true;
}

export interface Body extends Content {
  /** Media types; default: `application/json`. */
  readonly types?: readonly string[];
  /** The body may be missing. */
  readonly optional?: true;
  /** The class that reads the body; absent where the body is read by hand. */
  readonly input?: InputClass;
}

export interface Parameter {
  readonly schema: Schema;
  readonly required?: boolean;
}

/** A row of the description: what an operation takes and answers. Its right, and the errors that follow from it, come from its route. */
export interface Operation {
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly path?: Fields;
  /** Besides those of its list. */
  readonly query?: Readonly<Record<string, Parameter>>;
  /** The list that it answers. */
  readonly list?: ListDefinition;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly body?: Body;
  /** The place to which a browser is redirected instead of an answer. */
  readonly redirect?: string;
  /** The body of a success, by media type; empty where only a redirect answers. */
  readonly answer: Contents;
  readonly refusals?: Readonly<Record<number, Refusal>>;
}

/** By method and path, such as `GET /project/:id`. */
export type Operations = Readonly<Record<string, Operation>>;

/** `differing`: what the example of the schema has otherwise here. */
export const json = <Value>(schema: Schema<Value>, differing?: Partial<NoInfer<Value>>): Contents => ({
  'application/json': { schema, example: exampleOf(schema, differing) },
});

/** The body that an input class reads, which also describes it. */
export const takes = (input: InputClass, differing: object = {}): Body => ({
  schema: inputSchema(input),
  example: exampleOf(inputSchema(input), differing),
  input,
});

/** A merge patch (RFC 7396) of what an input class reads: null removes a member or makes it initial. */
export const patches = (input: InputClass, name: string, example: object): Body => ({
  schema: named(
    name,
    record(
      'A JSON merge patch: missing members stay, null makes a member initial or removes it',
      {},
      Object.fromEntries(Object.entries(fieldSchemas(input)).map(([field, schema]) => [field, removable(schema)])),
    ),
  ),
  example,
  types: ['application/merge-patch+json', 'application/json'],
});

/** One JSON object per line. */
export const jsonLines = (lines: Schema, description: string): Contents => ({
  'application/x-ndjson': { schema: text(description), lines },
});

export const asText = (type: string, description: string, example?: string): Contents => ({
  [type]: { schema: text(description), ...(example !== undefined && { example }) },
});

export const bytes = (description: string): Contents => ({ 'application/octet-stream': { schema: anything(description) } });

export const may = (schema: Schema): Parameter => ({ schema });
export const must = (schema: Schema): Parameter => ({ schema, required: true });

export const why = (reason: string): Refusal => ({ why: reason });
/** A body that carries `message` and nothing else (docs/spec/interface.md#errors). */
export const bare = (reason: string): Refusal => ({ why: reason, schema: 'Message' });

/** The same operation under a second path (docs/spec/decisions.md#T1). */
export const alsoUnder = (operation: Operation): Operation => ({
  ...operation,
  id: `${operation.id}ByOtherPath`,
  summary: `${operation.summary} (other path)`,
});
