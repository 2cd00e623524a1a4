import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { makeAuthority, makeIdentity } from '../../support/servers/certificates.ts';
import { startHttp, startHttps, type Site } from '../../support/servers/site.ts';
import { ADMIN, TestService } from '../../support/service.ts';

interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly meta: { readonly causationId: string | null; readonly correlationId: string };
}

let service: TestService;
let after: TestService | undefined;
let token: string;
let folder: string;
let env: Record<string, string>;
let http: Site;
let https: Site;
let status = 200;

const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> =>
  (await new ApiClient(service.url, token).send(method, path, body)).body as Record<string, unknown>;

async function until<T>(what: string, look: () => Promise<T | null>, withinMs = 240_000): Promise<T> {
  for (const deadline = Date.now() + withinMs; ;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}\n${service.log.slice(-15).join('\n')}`);
    await new Promise((again) => setTimeout(again, 100));
  }
}

async function logged(stream: string, type: string): Promise<LoggedEvent | null> {
  const { rows } = await service.database.pool.query<LoggedEvent>(
    'SELECT id, type, data::json AS data, meta::json AS meta FROM log WHERE stream = $1 AND type = $2 ORDER BY n DESC LIMIT 1',
    [stream, type],
  );
  return rows[0] ?? null;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-roots-'));
  const authority = makeAuthority();
  const roots = join(folder, 'roots.pem');
  await writeFile(roots, authority.cert);
  http = await startHttp((_, response) => {
    response.statusCode = status;
    response.end('<title>Shop</title>');
  });
  https = await startHttps(makeIdentity({ hosts: ['127.0.0.1'] }, authority), (_, response) => response.end('<title>Safe</title>'));
  env = { ALLOW_TARGETS: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: roots };
  service = await TestService.start({ env });
  const signedIn = await fetch(`${service.url}/api/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/plain' },
    body: JSON.stringify(ADMIN),
  });
  token = await signedIn.text();
});
afterAll(async () => {
  await after?.stop();
  await service.stop();
  await Promise.all([http.close(), https.close()]);
  await rm(folder, { recursive: true, force: true });
});

describe('a watched site', () => {
  it('goes down when a second probe confirms the failure, and recovers', async () => {
    const { id } = await ask('POST', '/project/create', { url: http.url });
    await ask('PUT', `/project/${String(id)}`, { uptimeEnabled: '15' });
    const stream = `uptime-${String(id)}`;
    const start = new Date(Date.now() - 60_000).toISOString();
    await until('the first probe', () => logged(stream, 'UptimeBegan'));

    status = 500;
    const suspected = await until('a suspicion', () => logged(stream, 'UptimeSuspected'));
    const down = await until('the confirmation', () => logged(stream, 'UptimeWentDown'));
    expect(down.data).toMatchObject({
      since: suspected.data['since'],
      outcome: 'down',
      before: 'up',
      evidence: { httpStatus: 500, location: 'eu' },
    });
    expect(down.meta).toMatchObject({ causationId: suspected.id, correlationId: suspected.meta.correlationId });

    status = 200;
    await until('the recovery', () => logged(stream, 'UptimeWentUp'));
    const report = await ask('GET', `/project/${String(id)}/uptime?start=${start}`);
    const uptime = report['uptime'] as { up: number; down: number; timeout: number };
    expect(uptime.up).toBeGreaterThan(0);
    expect(uptime.down).toBeGreaterThan(0);
    expect(uptime.up + uptime.down + uptime.timeout).toBeCloseTo(100, 9);
    const times = (await ask('GET', `/project/${String(id)}/responseTimes?start=${start}`)) as unknown as { totalResponseTime: number }[];
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(times.every(({ totalResponseTime }) => totalResponseTime > 0)).toBe(true);
  });

  it('has its certificate checked within seconds, and its status follows a changed alert period', async () => {
    const { id } = await ask('POST', '/project/create', { url: https.url });
    const project = await until('a certificate', async () => {
      const read = await ask('GET', `/project/${String(id)}`);
      return read['sslStatus'] === 'noinfo' ? null : read;
    });
    expect(project).toMatchObject({ sslStatus: 'ok' });
    expect(Number(project['sslDaysLeft'])).toBeGreaterThan(14);
    await ask('PUT', `/project/${String(id)}`, { sslAlertPeriod: 365 });
    expect(await ask('GET', `/project/${String(id)}`)).toMatchObject({ sslStatus: 'soon' });
    expect(await until('the warning', () => logged(`certificate-${String(id)}`, 'CertificateExpiryApproached'))).toMatchObject({
      data: { alertPeriod: 365 },
    });
  });

  it('has a missed daily certificate check made up after a restart', async () => {
    const { pool } = service.database;
    const { id } = await ask('POST', '/project/create', { url: `${https.url}/after` });
    const lookedAt = async (): Promise<number | null> => {
      const { rows } = await pool.query<{ at: string }>(
        `SELECT at FROM latest_look WHERE project_id = decode($1, 'hex') AND kind = 'certificate'`,
        [id],
      );
      return rows[0] === undefined ? null : Number(rows[0].at);
    };
    await until('the first look', lookedAt);
    await service.kill();
    const killedAt = Date.now();
    await pool.query(`UPDATE latest_look SET at = at - 86400000 WHERE kind = 'certificate'`);
    after = await TestService.start({ env, beside: service });
    await until('the look that was owed', async () => (((await lookedAt()) ?? 0) > killedAt ? true : null), 60_000);
  });
});
