import { expect, it } from '@jest/globals';
import fastify from 'fastify';
import { noTracer } from '../../../kernel/tracer.ts';
import { createLoggerOn } from '../../telemetry/logging/logger.ts';
import { logRequests, traceRequests } from './request-telemetry.ts';
import { traceOfRequest } from '../context/request-state.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** The trace ids in the log lines of two requests. */
async function logged(traceparent: string): Promise<readonly unknown[]> {
  const lines: Record<string, unknown>[] = [];
  const app = fastify();
  traceRequests(app, noTracer);
  logRequests(
    app,
    createLoggerOn({ write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) }, 'debug'),
    (request) => traceOfRequest(request).traceId,
  );
  app.get('/', () => 'ok');
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  for (let n = 0; n < 2; n++) await fetch(address, { headers: { traceparent, connection: 'close' } });
  await app.close();
  return lines.map(({ traceId }) => traceId);
}

it('logs each request with the trace of its caller', async () => {
  expect(await logged(`00-${TRACE}-00f067aa0ba902b7-00`)).toEqual([TRACE, TRACE]);
});

it('begins a trace for each request whose traceparent is invalid', async () => {
  const [first, second] = await logged(`00-${TRACE}-00f067aa0ba902b7-00"}{"level":"fatal"`);
  expect(first).toMatch(/^(?!4bf92f)[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
});
