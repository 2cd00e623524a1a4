import { describe, expect, it } from '@jest/globals';
import { createLoggerOn } from './logger.ts';
import { NestLog } from './nest-log.ts';
import { requestId } from '../../http/server/request-telemetry.ts';

function logged(level: 'info' | 'debug' = 'info') {
  const lines: Record<string, unknown>[] = [];
  const logger = createLoggerOn({ write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) }, level);
  return { logger, lines };
}

describe('logs', () => {
  it('mask the values of fields with secret names at any depth', () => {
    const { logger, lines } = logged();
    logger.info(
      { user: { email: 'a@b.example', password: 'hunter2', keys: [{ apiKey: 'hunter2' }] }, headers: { Authorization: 'hunter2' }, n: 1 },
      'x',
    );
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(lines[0]).toMatchObject({ level: 'info', n: 1, msg: 'x', user: { email: 'a@b.example', password: '***' } });
  });

  it.each([
    'GET /api/project/1?apikey=hunter2hunter2&x=1',
    'connect postgres://watch:hunter2hunter2@db:5432/w failed',
    'Authorization: Bearer hunter2hunter2',
    'token eyJhbGciOiJIUzI1NiJ9.hunter2hunter2.hunter2',
    'GET /api/authenticate/provider/callback?code=hunter2&state=hunter2',
  ])('mask a credential in a text: %s', (text) => {
    const { logger, lines } = logged();
    logger.info(text);
    logger.info({ url: text }, text);
    logger.error({ err: new Error(text, { cause: new Error(text) }) }, 'failed');
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  // A quadratic pattern needs minutes for it.
  it.each(['a'.repeat(1_000_000), '-eyJ'.repeat(250_000), 'a://'.repeat(250_000), 'a:'.repeat(500_000), 'Bearer '.repeat(140_000)])(
    'are not held up by a hostile text of a million letters (%#)',
    (text) => {
      const { logger, lines } = logged();
      logger.info({ url: text }, 'request');
      expect(lines).toHaveLength(1);
    },
  );

  it('contain message, code and stack of an error, not the client attached by a driver', () => {
    const { logger, lines } = logged();
    logger.error({
      err: Object.assign(new Error('connection lost', { cause: new Error('below') }), { code: '57P01', client: { secretKey: 'hunter2' } }),
    });
    expect(lines[0]).toMatchObject({
      err: { code: '57P01', message: 'connection lost: below', stack: expect.stringContaining('caused by') },
    });
    expect(lines[0]?.['err']).not.toHaveProperty('client');
  });

  it('contain the message beside the fields that a part passes to its logger', () => {
    const { logger, lines } = logged();
    new NestLog(logger).warn({ lateMs: 7 }, 'a turn started late', 'checker');
    expect(lines[0]).toMatchObject({ level: 'warn', context: 'checker', lateMs: 7, msg: 'a turn started late' });
  });

  it("contain Nest's wiring at debug level only, and its errors with their stack", () => {
    const { logger, lines } = logged();
    const nest = new NestLog(logger);
    nest.log('Mapped {/api/x, GET}', 'RouterExplorer');
    nest.error(new Error('broken'), 'http');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'error',
      context: 'http',
      msg: 'broken',
      err: { type: 'Error', stack: expect.stringContaining('at ') },
    });
  });
});

describe('request ids', () => {
  it('are taken from the proxy when valid, else generated', () => {
    expect(requestId({ headers: { 'x-request-id': 'edge-42' } })).toBe('edge-42');
    expect(requestId({ headers: {} })).toMatch(/^[0-9a-f-]{36}$/);
    expect(requestId({ headers: { 'x-request-id': 'a\nb' } })).toMatch(/^[0-9a-f-]{36}$/);
    expect(requestId({ headers: { 'x-request-id': 'a'.repeat(100) } })).toMatch(/^[0-9a-f-]{36}$/);
  });
});
