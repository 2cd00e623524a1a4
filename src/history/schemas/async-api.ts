import { namedSchemas } from '../../platform/http/description/schema.ts';
import { cloudEvent } from '../feed/feed.api.ts';
import type { EventSchemas } from './event-schema.ts';

const CLOUD_EVENT = 'application/cloudevents+json';

const POSITION = { type: 'string', pattern: '^(-1|\\d+)$' };
const TEXTS = { type: 'array', items: { type: 'string' } };

/** The parameters of `GET /events`, as far as they choose events. */
const QUERY = {
  type: 'object',
  required: ['format'],
  properties: {
    format: { const: 'cloudevents' },
    after: { ...POSITION, description: 'Only events after this position, or `now`; from the beginning without it' },
    type: { ...TEXTS, description: 'Only these types' },
    scope: { ...TEXTS, description: 'Only of these projects' },
    wait: { type: 'integer', minimum: 0, maximum: 60, description: 'Seconds to wait where there is no event yet' },
  },
};

/** AsyncAPI 3.0: the events that leave the service, through the feed and through event destinations, as CloudEvents. */
export function describeEvents(baseUrl: string, { events, definitions }: EventSchemas, isInternal: (type: string) => boolean): object {
  const { protocol, host, pathname } = new URL(baseUrl);
  const messages = Object.keys(events).map((name) => {
    const [type = '', version = ''] = name.split('/');
    return { key: `${type}.v${version}`, name, type, version };
  });
  const of = (channel: string) => messages.map(({ key }) => ({ $ref: `#/channels/${channel}/messages/${key}` }));
  const channelMessages = Object.fromEntries(messages.map(({ key }) => [key, { $ref: `#/components/messages/${key}` }]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of Watchledger',
      version: '1',
      description: 'Every event of the log as a CloudEvent. The operations over HTTP are described in OpenAPI, at `/api/openapi.json`.',
    },
    defaultContentType: CLOUD_EVENT,
    servers: { api: { host, pathname, protocol: protocol.replace(':', ''), security: [{ $ref: '#/components/securitySchemes/token' }] } },
    channels: {
      feed: {
        address: '/events',
        description: 'The log as it grows, in its order; at least once',
        servers: [{ $ref: '#/servers/api' }],
        messages: channelMessages,
      },
      destination: {
        address: null,
        description: 'The address of an event destination: signed batches, in order per project, at least once',
        messages: channelMessages,
      },
    },
    operations: {
      followLog: {
        action: 'send',
        channel: { $ref: '#/channels/feed' },
        summary: 'Answers the events after a position, as a page, as lines or as server-sent events',
        bindings: { http: { method: 'GET', query: QUERY, bindingVersion: '0.3.0' } },
        messages: of('feed'),
      },
      pushToDestination: {
        action: 'send',
        channel: { $ref: '#/channels/destination' },
        summary: 'Posts a batch of events to a destination',
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: of('destination'),
      },
    },
    components: {
      messages: Object.fromEntries(
        messages.map(({ key, type, version }) => [
          key,
          {
            name: `watchledger.${type}.v${version}`,
            title: type,
            contentType: CLOUD_EVENT,
            ...(isInternal(type) && { tags: [{ name: 'internal' }] }),
            payload: {
              allOf: [
                { $ref: '#/components/schemas/CloudEvent' },
                { properties: { type: { const: `watchledger.${type}.v${version}` }, data: { $ref: `#/components/schemas/${key}` } } },
              ],
            },
          },
        ]),
      ),
      schemas: referringToComponents({
        ...namedSchemas(cloudEvent),
        ...Object.fromEntries(messages.map(({ key, name }) => [key, events[name]])),
        ...definitions,
      }),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

const referringToComponents = (schemas: object): unknown =>
  JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'));
