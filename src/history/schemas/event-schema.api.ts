import { json, type Operations, why } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, openRecord, record, text } from '../../platform/http/description/schema.ts';

const url = 'https://watchledger.example/api/events/schemas/CheckFailed/1';

const listed = named(
  'EventSchemaLink',
  record('Where the schema of an event is', {
    type: text('The event', { examples: ['CheckFailed'] }),
    version: integer('Of its shape', { minimum: 1 }),
    isInternal: flag('Not part of the published contract: it may change or disappear in any version', { examples: [false] }),
    url: text('The schema', { format: 'uri', examples: [url] }),
  }),
);

/** docs/spec/beyond.md#B30. */
export const eventSchemaOperations: Operations = {
  'GET /events/schemas': {
    id: 'listEventSchemas',
    tag: 'History',
    summary: 'The JSON Schemas of all events',
    answer: json(record('Of every version of every event', { schemas: list(listed, 'In the order of the catalogue') })),
  },
  'GET /events/schemas/:type/:version': {
    id: 'getEventSchema',
    tag: 'History',
    summary: 'The JSON Schema of an event',
    description: 'Of the data of an event, as `data` of the feed, of the history and of CloudEvents, whose `dataschema` leads here.',
    path: { type: text('The event', { examples: ['CheckFailed'] }), version: text('Of its shape', { examples: ['1'] }) },
    answer: {
      'application/schema+json': {
        schema: openRecord('A JSON Schema (2020-12)', {
          $id: text('Its address', { format: 'uri', examples: [url] }),
          title: text('The event', { examples: ['CheckFailed'] }),
        }),
        example: { $id: url, title: 'CheckFailed', type: 'object' },
      },
    },
    refusals: { 404: why('No such event, or no such version') },
  },
  'GET /asyncapi.json': {
    id: 'describeEvents',
    tag: 'Service',
    summary: 'The events as an AsyncAPI document',
    answer: json(openRecord('An AsyncAPI 3.0 document', { asyncapi: text('Version of AsyncAPI', { examples: ['3.0.0'] }) })),
  },
};
