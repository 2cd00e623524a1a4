import { asText, json, jsonLines, may, type Operations } from '../../platform/http/description/operation.ts';
import { anything, eitherOf, integer, list, named, record, text, word } from '../../platform/http/description/schema.ts';
import { moment } from '../../platform/http/description/vocabulary.ts';
import { eventSchema, repeatedTexts } from '../history.api.ts';
import { MAX_LIMIT } from './feed-query.ts';
import { MAX_WAIT_SECONDS } from './following.ts';

const position = (description: string) => text(description, { pattern: '^(-1|\\d+)$', examples: ['4711'] });

/** docs/spec/beyond.md#B24. */
const feedPage = named(
  'FeedPage',
  record('A page of the feed', {
    events: list(eventSchema, 'In the order of the log'),
    position: position('The next `after`: everything up to it has been answered'),
    head: position('The last event of the log when the page was read'),
  }),
);

/** CloudEvents 1.0.2 with extensions of ours. */
export const cloudEvent = named(
  'CloudEvent',
  record(
    'An event as a CloudEvent',
    {
      specversion: word(['1.0'], 'Version of CloudEvents'),
      id: text('The event'),
      source: text('The feed', { format: 'uri' }),
      type: text('Type and version', { examples: ['watchledger.CheckFailed.v1'] }),
      subject: text('Stream of the event'),
      time: moment('Time at which the log recorded it', '2023-03-23T12:53:20.123456Z'),
      datacontenttype: word(['application/json'], 'Always JSON'),
      dataschema: text('JSON Schema of the data', { format: 'uri' }),
      data: anything('Depends on the type; never contains a secret'),
      position: position('Position in the whole log'),
      revision: integer('Position in its stream', { minimum: 0, examples: [12] }),
      scope: text('What it belongs to'),
      occurredat: moment('Time at which it occurred', '2023-03-23T12:53:20.120Z'),
      actor: text('Kind and id of the actor that caused it', { examples: ['user 7'] }),
      correlationid: text('The first event of its chain'),
      summary: text('One sentence for a person', { examples: ['The title was changed from "Shop" to "Example"'] }),
    },
    { causationid: text('The event that caused it; absent at the root of a chain') },
  ),
);

export const feedOperations: Operations = {
  'GET /events': {
    id: 'followLog',
    tag: 'History',
    summary: 'The log as a feed',
    description:
      'All events for system roles, those of their projects for everybody else. A page never ends with a null cursor: `position` is the next `after`, also where nothing new came. JSON lines come up to the end of the log, server-sent events without an end.',
    query: {
      after: may(text('Only events after this position, or `now`; from the beginning without it', { examples: ['4711'] })),
      type: may(repeatedTexts('Only these types')),
      scope: may(repeatedTexts('Only of these projects (`project-…`), and for system roles of accounts (`account-…`) and `system`')),
      limit: may(integer('Events of a page (default 100), or of all lines', { minimum: 1, maximum: MAX_LIMIT })),
      wait: may(integer('Seconds to wait where there is no event yet', { minimum: 0, maximum: MAX_WAIT_SECONDS })),
      format: may(
        word(
          ['json', 'jsonl', 'cloudevents'],
          'Takes precedence over `Accept`; `cloudevents` leaves the choice of page, lines or stream to it',
        ),
      ),
    },
    headers: { 'Last-Event-ID': may(text('Of a stream: resume after this position')) },
    answer: {
      ...json(feedPage),
      'application/cloudevents-batch+json': { schema: list(cloudEvent, 'The events as CloudEvents 1.0') },
      ...jsonLines(eitherOf('An event', eventSchema, cloudEvent), 'One line per event'),
      ...asText('text/event-stream', 'An endless stream; the position of an event as its id, a comment every 15 s'),
    },
  },
};
