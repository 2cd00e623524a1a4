import { catalogue, isKnown } from '../../events.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { nearestName } from '../../kernel/nearest-name.ts';
import { textsOf } from '../history-query.ts';
import { type Following, numberOf, positionOf, readFollowing } from './following.ts';
import { preferredOf } from '../../platform/http/presentation/accept-header.ts';

/** Refuses a type that no event has; `param` names where it was given. */
export function requireKnownTypes(types: readonly string[], param: string): void {
  for (const type of types)
    if (!isKnown(type)) {
      const near = nearestName(type, Object.keys(catalogue));
      throw new InvalidInput(`${param}: there is no event ${type}${near === null ? '' : `; did you mean ${near}?`}`);
    }
}

/** `lines`: JSON lines up to the end of the log. `stream`: server-sent events, without an end. */
export type FeedForm = 'page' | 'lines' | 'stream';

export interface FeedQuery extends Following {
  readonly types: readonly string[];
  /** Null for all that the caller may read. */
  readonly scopes: readonly string[] | null;
  /** Null for the default of a page, and for all events in the other forms. */
  readonly limit: number | null;
  readonly form: FeedForm;
  readonly isCloudEvents: boolean;
}

export const MAX_LIMIT = 1_000;
const PARAMETERS = ['after', 'type', 'scope', 'limit', 'wait', 'format'] as const;
const FORMATS = ['json', 'jsonl', 'cloudevents'] as const;
const FORMS = {
  'application/json': 'page',
  'application/cloudevents-batch+json': 'page',
  'application/x-ndjson': 'lines',
  'text/event-stream': 'stream',
} as const satisfies Record<string, FeedForm>;
type MediaType = keyof typeof FORMS;
// Cast: the keys of a literal.
const MEDIA_TYPES = Object.keys(FORMS) as readonly MediaType[];

type QueryParameters = Readonly<Record<string, unknown>>;

/** docs/spec/beyond.md#B24. `lastEventId`: of a client of server-sent events that connects again. */
export function readFeedQuery(given: QueryParameters, accept: string, lastEventId: string | undefined): FeedQuery {
  for (const name of Object.keys(given))
    if (!PARAMETERS.some((known) => known === name))
      throw new InvalidInput(`${name}: is unknown; did you mean ${nearestName(name, PARAMETERS) ?? PARAMETERS.join(', ')}?`, {
        allowed: PARAMETERS,
      });
  const format = given['format'];
  if (format !== undefined && !FORMATS.some((known) => known === format))
    throw new InvalidInput(`format: must be ${FORMATS.join(', ')}`, { allowed: FORMATS });
  const media = preferredOf(accept, MEDIA_TYPES) ?? 'application/json';
  const form = format === 'json' ? 'page' : format === 'jsonl' ? 'lines' : FORMS[media];
  const isResumed = form === 'stream' && lastEventId !== undefined && lastEventId !== '';
  return {
    ...(isResumed ? { after: positionOf(lastEventId, 'Last-Event-ID'), waitMs: 0 } : readFollowing(given)),
    types: typesOf(given),
    scopes: given['scope'] === undefined ? null : textsOf(given, 'scope'),
    limit: numberOf(given, 'limit', { least: 1, most: MAX_LIMIT }),
    form,
    isCloudEvents: format === 'cloudevents' || (format === undefined && media === 'application/cloudevents-batch+json'),
  };
}

function typesOf(given: QueryParameters): readonly string[] {
  const types = textsOf(given, 'type');
  requireKnownTypes(types, 'type');
  return types;
}
