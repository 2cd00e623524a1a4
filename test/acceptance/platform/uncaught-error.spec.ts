import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { Program } from '../../support/program.ts';
import { isRelease, thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'crash-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

const MASTER_KEY = randomBytes(32).toString('hex');
const onSignal = (code: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${code} })`)}`;
const begin = (code: string, env: Readonly<Record<string, string>> = {}): Program =>
  new Program({ PORT: '0', DATABASE_URL: database.url, MASTER_KEY, LOG_LEVEL: 'info', NODE_OPTIONS: onSignal(code), ...env }, folder);

const THROWN = [`throw new TypeError('a bug: Bearer ' + 'hunter2' + '-canary')`, 'uncaughtException', 'TypeError'] as const;
const REJECTED = [
  `void Promise.reject(new RangeError('a bug: Bearer ' + 'hunter2' + '-canary'))`,
  'unhandledRejection',
  'RangeError',
] as const;
const NO_ERROR = [`void Promise.reject('a bug: no error at all')`, 'unhandledRejection', 'Error'] as const;

describe('an uncaught error', () => {
  it.each(thorough([THROWN, REJECTED, NO_ERROR], [THROWN]))(
    '(%s) ends the service with one line that names it',
    async (code, origin, type) => {
      const program = begin(code);
      await program.ready();
      program.signal('SIGUSR2');
      const { status, out, err } = await program.ended;
      expect([status, err]).toEqual([1, '']);
      const lines = out.split('\n').filter((line) => line.includes('uncaught error; exiting'));
      expect(lines).toHaveLength(1);
      const line = JSON.parse(lines[0] ?? '') as { readonly err: { readonly stack: string } };
      expect(line).toMatchObject({
        level: 'fatal',
        origin,
        msg: 'uncaught error; exiting',
        err: { type, message: expect.stringContaining('a bug') },
      });
      expect(line.err.stack).toContain('at ');
      expect(out).not.toContain('hunter2-canary');
    },
  );

  if (isRelease)
    it('is reported on standard error when logging is off', async () => {
      const port = await freePort();
      const program = begin(`throw new TypeError('a bug: Bearer ' + 'hunter2' + '-canary')`, { LOG_LEVEL: 'silent', PORT: port });
      const lives = (): Promise<boolean> =>
        fetch(`http://127.0.0.1:${port}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(lives, 30_000, 'an answer');
      program.signal('SIGUSR2');
      const { status, err } = await program.ended;
      expect([status, err.split('\n', 1)]).toEqual([1, ['watchledger: uncaught error; exiting: TypeError: a bug: Bearer ***']]);
    });
});
