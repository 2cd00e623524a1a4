import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Receiver, startReceiver } from '../../../../test/support/servers/receiver.ts';
import { until } from '../../../../test/support/until.ts';
import { openTelemetry, type Telemetry } from './otlp.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = { traceId: TRACE, spanId: '00f067aa0ba902b7', sampled: true };

let receiver: Receiver;
let telemetry: Telemetry | undefined;
const failures: string[] = [];
const before = { ...process.env };

beforeEach(async () => {
  receiver = await startReceiver();
  failures.length = 0;
});
afterEach(async () => {
  await telemetry?.close();
  telemetry = undefined;
  await receiver.close();
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_') && !(name in before)) Reflect.deleteProperty(process.env, name);
});

function open(variables: Readonly<Record<string, string>>, registry = new Registry()): Telemetry {
  return (telemetry = openTelemetry({
    config: { traces: true, metrics: true, metricIntervalMs: 60_000, variables },
    version: '1.2.3',
    registry,
    onFailed: (reason) => failures.push(reason),
  }));
}

/** What the receiver got, decoded. */
const bodies = (path: string) => receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body));

describe('the export by OTLP', () => {
  it('sends spans with their parents, kinds, attributes and links', async () => {
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue', OTEL_SERVICE_NAME: 'watch' };
    const { tracer } = open(variables);
    const outer = tracer.start('outer', { kind: 'server', parent: PARENT, attributes: { a: 1 } });
    const inner = tracer.start('inner', { kind: 'client', parent: outer.context, links: [{ ...PARENT, traceId: 'a'.repeat(32) }] });
    inner.end(Object.assign(new Error('connect to secret.example failed'), { code: 'ECONNREFUSED' }));
    outer.rename('renamed');
    outer.end();
    await telemetry?.close();
    const [{ resourceSpans }] = bodies('/v1/traces');
    expect(receiver.received[0]?.headers).toMatchObject({ 'x-team': 'blue', 'content-type': 'application/json' });
    expect(resourceSpans[0].resource.attributes).toEqual(
      expect.arrayContaining([
        { key: 'service.name', value: { stringValue: 'watch' } },
        { key: 'service.version', value: { stringValue: '1.2.3' } },
      ]),
    );
    const spans = resourceSpans[0].scopeSpans[0].spans;
    expect(spans).toMatchObject([
      {
        name: 'inner',
        kind: 3,
        traceId: TRACE,
        parentSpanId: outer.context?.spanId,
        status: { code: 2 },
        links: [{ traceId: 'a'.repeat(32) }],
      },
      { name: 'renamed', kind: 2, traceId: TRACE, parentSpanId: PARENT.spanId, attributes: [{ key: 'a', value: { intValue: 1 } }] },
    ]);
    expect(JSON.stringify(spans)).toContain('ECONNREFUSED');
    expect(JSON.stringify(spans)).not.toContain('secret.example');
  });

  it('follows the sampler of the environment, and passes its decision on', async () => {
    const { tracer } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER: 'always_off' });
    const span = tracer.start('unseen', { kind: 'internal', parent: PARENT });
    expect(span.context).toMatchObject({ traceId: TRACE, sampled: false });
    span.end();
    await telemetry?.close();
    expect(bodies('/v1/traces')).toEqual([]);
  });

  it('sends the metrics of the registry under their names', async () => {
    const registry = new Registry();
    new Counter({ name: 'things_total', help: 'Things', labelNames: ['kind'], registers: [registry] }).inc({ kind: 'red' }, 3);
    new Gauge({ name: 'level', help: 'Level', registers: [registry] }).set(7);
    new Gauge({ name: 'unknown', help: 'Nothing', labelNames: ['x'], registers: [registry] });
    const histogram = new Histogram({ name: 'seconds', help: 'Time', buckets: [1, 2], registers: [registry] });
    for (const seconds of [0.5, 1.5, 1.6, 9]) histogram.observe(seconds);
    open({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }, registry);
    await telemetry?.close();
    const [{ resourceMetrics }] = bodies('/v1/metrics');
    const metrics = resourceMetrics[0].scopeMetrics[0].metrics;
    expect(metrics.map(({ name }: { readonly name: string }) => name)).toEqual(['things_total', 'level', 'seconds']);
    expect(metrics).toMatchObject([
      { sum: { isMonotonic: true, dataPoints: [{ asDouble: 3, attributes: [{ key: 'kind', value: { stringValue: 'red' } }] }] } },
      { gauge: { dataPoints: [{ asDouble: 7 }] } },
      { histogram: { dataPoints: [{ count: 4, sum: 12.6, explicitBounds: [1, 2], bucketCounts: [1, 2, 1] }] } },
    ]);
  });
});

describe('a receiver that is away', () => {
  it('bounds the time of a stop', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const { tracer } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`, OTEL_EXPORTER_OTLP_TIMEOUT: '4000' });
    tracer.start('lost', { kind: 'internal', parent: null }).end();
    const closed = telemetry?.close().then(() => 'closed');
    telemetry = undefined;
    expect(await Promise.race([closed, once(silent, 'close')])).toBe('closed');
    silent.close();
  });

  it('costs no more memory than its queue: spans beyond it are dropped', async () => {
    const { tracer } = open({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '50',
    });
    for (let n = 0; n < 20_000; n++) tracer.start('one of many', { kind: 'internal', parent: null }).end();
    await telemetry?.close();
    const names = bodies('/v1/traces').flatMap((body) => body.resourceSpans[0].scopeSpans[0].spans);
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(150);
  });

  it('is reported, and gets the later spans when it is there again', async () => {
    receiver.answer = (_, response) => void response.writeHead(400).end();
    const { tracer } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' });
    tracer.start('refused', { kind: 'internal', parent: null }).end();
    await until(() => Promise.resolve(failures.length > 0), 10_000, 'the failure');
    receiver.answer = (_, response) => void response.end('{}');
    tracer.start('taken', { kind: 'internal', parent: null }).end();
    await until(() => Promise.resolve(receiver.received.some(({ body }) => body.includes('"taken"'))), 10_000, 'the later span');
    expect(failures).toHaveLength(1);
  });
});
