import { asText, json, type Operations } from './operation.ts';
import { flag, named, openRecord, record, text } from './schema.ts';

const liveness = named('Liveness', record('The process runs', { live: flag('Always true', { enum: [true] }) }));
const readiness = named(
  'Readiness',
  record('Whether this instance should receive requests', {
    ready: flag('Whether every part works'),
    parts: { ...openRecord('By name'), additionalProperties: text('`ok`, or the problem') },
  }),
);

/** Served beside the controllers, directly by the server. */
export const descriptionOperations: Operations = {
  'GET /openapi.json': {
    id: 'describe',
    tag: 'Service',
    summary: 'This description',
    answer: json(openRecord('An OpenAPI 3.1 document', { openapi: text('Version of OpenAPI', { examples: ['3.1.0'] }) })),
  },
};

/** Outside the prefix of the API. */
export const serviceOperations: Operations = {
  'GET /health/live': { id: 'isAlive', tag: 'Service', summary: 'Liveness probe', answer: json(liveness) },
  'GET /health/ready': {
    id: 'isReady',
    tag: 'Service',
    summary: 'Readiness probe',
    answer: json(readiness, { ready: true, parts: { database: 'ok' } }),
  },
  'GET /schemas/site.json': {
    id: 'getSiteFileSchema',
    tag: 'Service',
    summary: 'The JSON Schema of site files',
    answer: { 'application/schema+json': { schema: openRecord('A JSON Schema (2020-12)', { title: text('Its title') }) } },
  },
  'GET /metrics': {
    id: 'measure',
    tag: 'Service',
    summary: 'Metrics',
    description: 'The operator may move them to a port of their own, and ask for a token of their own.',
    answer: asText('text/plain', 'In the text format of Prometheus'),
  },
};
