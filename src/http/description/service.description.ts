import { asText, json, type Operations } from './operation.ts';
import { flag, openRecord, record, ref, text } from './schema.ts';

export const serviceSchemas = {
  Liveness: record('The process runs', { live: flag('Always true', { enum: [true] }) }),
  Readiness: record('Whether this instance should get requests', {
    ready: flag('Whether every part works'),
    parts: { ...openRecord('By name'), additionalProperties: text('`ok`, or what is wrong') },
  }),
};

/** Served beside the controllers, straight on the server. */
export const descriptionOperations: Operations = {
  'GET /openapi.json': {
    ...{ id: 'describe', tag: 'Service', summary: 'This description' },
    answer: json(openRecord('An OpenAPI 3.1 document', { openapi: text('Version of OpenAPI') }), { openapi: '3.1.0' }),
  },
};

/** Outside of the prefix. */
export const serviceOperations: Operations = {
  'GET /health/live': { ...{ id: 'isAlive', tag: 'Service', summary: 'Whether it runs' }, answer: json(ref('Liveness'), { live: true }) },
  'GET /health/ready': {
    ...{ id: 'isReady', tag: 'Service', summary: 'Whether it should get requests' },
    answer: json(ref('Readiness'), { ready: true, parts: { database: 'ok' } }),
  },
  'GET /metrics': {
    ...{ id: 'measure', tag: 'Service', summary: 'Metrics' },
    answer: asText('text/plain', 'In the text format of Prometheus'),
  },
};
