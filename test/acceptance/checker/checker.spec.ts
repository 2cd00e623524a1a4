import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Judge } from '../../../src/checker/judging/judge.ts';
import { type EvidenceVerdict, verifyEvidence } from '../../../src/proof/command-line/verify-evidence.ts';
import { parseVerifierKey } from '../../../src/client/proofs/signed-note.ts';
import { applyRetention } from '../../../src/platform/observations/retention.ts';
import { ApiClient } from '../../support/api-client.ts';
import { compiledWorker } from '../../support/compiled-worker.ts';
import { type Identity, makeAuthority, makeIdentity } from '../../support/servers/certificates.ts';
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
let renewing: Awaited<ReturnType<typeof startHttps>>;
let renewed: Identity;
let status = 200;
let judge: Judge;
/** Each waits for looks of its own: they are begun together. */
let ids: Readonly<Record<'watched' | 'certified' | 'renewing' | 'unreachable' | 'owed', string>>;

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

const evidencePath = (projectId: unknown, { id }: LoggedEvent): string => `/project/${String(projectId)}/history/${id}/evidence`;

/** What the newest event of a type rests on, as the API answers it. */
async function evidenceOf(projectId: unknown, stream: string, type: string): Promise<Record<string, unknown>> {
  const event = await until(type, () => logged(`${stream}-${String(projectId)}`, type));
  // It is written right after an event that nothing announced.
  return until(`the evidence of ${type}`, async () => {
    const found = await ask('GET', evidencePath(projectId, event));
    return found['event'] === undefined ? null : found;
  });
}

/** What `watchledger verify` says of the file. */
async function verdictOn(projectId: unknown, stream: string, type: string): Promise<EvidenceVerdict> {
  const event = await until(type, () => logged(`${stream}-${String(projectId)}`, type));
  const api = new ApiClient(service.url, token);
  const file = await until(`the sealed evidence of ${type}`, async () => {
    const { status: code, text } = await api.get(`${evidencePath(projectId, event)}?format=file`);
    return code === 200 ? text : null;
  });
  return verifyEvidence(file, [parseVerifierKey((await api.get('/ledger/key')).text)], judge);
}

beforeAll(async () => {
  judge = new Judge({ entry: compiledWorker(new URL('../../../src/checker/judging/judge-worker.ts', import.meta.url)), threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'watchledger-roots-'));
  const authority = makeAuthority();
  const roots = join(folder, 'roots.pem');
  await writeFile(roots, authority.cert);
  http = await startHttp((_, response) => {
    response.statusCode = status;
    response.end('<title>Shop</title>');
  });
  https = await startHttps(makeIdentity({ hosts: ['127.0.0.1'] }, authority), (_, response) => response.end('<title>Safe</title>'));
  renewing = await startHttps(makeIdentity({ hosts: ['127.0.0.1'] }, authority), (_, response) => response.end('<title>Safe</title>'));
  renewed = makeIdentity({ hosts: ['127.0.0.1'] }, authority);
  env = { ALLOW_TARGETS: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: roots };
  service = await TestService.start({ env });
  const signedIn = await fetch(`${service.url}/api/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/plain' },
    body: JSON.stringify(ADMIN),
  });
  token = await signedIn.text();
  const begin = async (url: string, settings?: object): Promise<string> => {
    const id = String((await ask('POST', '/project/create', { url }))['id']);
    if (settings !== undefined) await ask('PUT', `/project/${id}`, settings);
    return id;
  };
  ids = {
    watched: await begin(http.url, { uptimeEnabled: '15' }),
    certified: await begin(https.url),
    renewing: await begin(renewing.url, { uptimeEnabled: 'false' }),
    // Nothing listens at the ports of these schemes.
    unreachable: await begin('https://127.93.7.1', { httpsRedirectEnabled: true }),
    owed: await begin(`${https.url}/after`),
  };
});
afterAll(async () => {
  await judge.close();
  await after?.stop();
  await service.stop();
  await Promise.all([http.close(), https.close(), renewing.close()]);
  await rm(folder, { recursive: true, force: true });
});

describe('a watched site', () => {
  it('goes down when a second probe confirms the failure, and recovers', async () => {
    const { watched: id } = ids;
    const stream = `uptime-${id}`;
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
    const report = await ask('GET', `/project/${id}/uptime?start=${start}`);
    const uptime = report['uptime'] as { up: number; down: number; timeout: number };
    expect(uptime.up).toBeGreaterThan(0);
    expect(uptime.down).toBeGreaterThan(0);
    expect(uptime.up + uptime.down + uptime.timeout).toBeCloseTo(100, 9);
    const times = (await ask('GET', `/project/${id}/responseTimes?start=${start}`)) as unknown as { totalResponseTime: number }[];
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(times.every(({ totalResponseTime }) => totalResponseTime > 0)).toBe(true);

    const seen = { kind: 'uptime', checkId: null, address: '127.0.0.1', request: { url: `${http.url}/` }, rules: [], certificate: null };
    for (const type of ['UptimeSuspected', 'UptimeWentDown'])
      expect(await evidenceOf(id, 'uptime', type)).toMatchObject({ ...seen, event: { type }, answer: { status: 500, kept: true } });
    expect(await evidenceOf(id, 'uptime', 'UptimeWentUp')).toMatchObject({ ...seen, answer: { status: 200, kept: false } });
    const page = await new ApiClient(service.url, token).get(`${evidencePath(id, down)}/page`);
    expect([page.status, page.text]).toEqual([200, '<title>Shop</title>']);
    for (const type of ['UptimeWentDown', 'UptimeWentUp'])
      expect(await verdictOn(id, 'uptime', type)).toMatchObject({ kind: 'follows', event: { type }, notes: [] });
  });

  it('has its certificate checked within seconds, and its status follows a changed alert period', async () => {
    const { certified: id } = ids;
    const project = await until('a certificate', async () => {
      const read = await ask('GET', `/project/${id}`);
      return read['sslStatus'] === 'noinfo' ? null : read;
    });
    expect(project).toMatchObject({ sslStatus: 'ok' });
    expect(Number(project['sslDaysLeft'])).toBeGreaterThan(14);
    await ask('PUT', `/project/${id}`, { sslAlertPeriod: 365 });
    expect(await ask('GET', `/project/${id}`)).toMatchObject({ sslStatus: 'soon' });
    expect(await until('the warning', () => logged(`certificate-${id}`, 'CertificateExpiryApproached'))).toMatchObject({
      data: { alertPeriod: 365 },
    });
    const { certificate: known } = (await until('the certificate', () => logged(`certificate-${id}`, 'CertificateSeen'))).data;
    const { issuer, names, validTo } = known as Record<string, unknown>;
    await ask('PUT', `/project/${id}`, { sslAlertPeriod: 14 });
    expect(await until('the recovery', () => logged(`certificate-${id}`, 'CertificateExpiryReceded'))).toMatchObject({
      data: { alertPeriod: 14 },
    });
    for (const type of ['CertificateSeen', 'CertificateExpiryApproached', 'CertificateExpiryReceded']) {
      const seen = { event: { type }, kind: 'certificate', address: '127.0.0.1', certificate: { issuer, names, validTo }, rules: [] };
      expect(await evidenceOf(id, 'certificate', type)).toMatchObject(seen);
      expect(await verdictOn(id, 'certificate', type)).toMatchObject({ kind: 'follows', event: { type } });
    }
  });

  it('has a renewed certificate noticed by the run of a check, without uptime probes', async () => {
    const { renewing: id } = ids;
    const seen = async (): Promise<unknown> => (await logged(`certificate-${id}`, 'CertificateSeen'))?.data['certificate'] ?? null;
    const before = await until('the first certificate', seen);
    await ask('POST', `/project/${id}/tests`, { name: 'Front page', url: '/' });
    renewing.setIdentity(renewed);
    await ask('GET', `/project/${id}/start`);
    await until('the renewed certificate', async () => (JSON.stringify(await seen()) === JSON.stringify(before) ? null : true), 60_000);
    expect((await logged(`certificate-${id}`, 'CertificateSeen'))?.data).toMatchObject({
      previous: (before as { readonly fingerprint: string }).fingerprint,
    });
  });

  it('has evidence of what prevented the look at its certificate and its redirect, and its hashes past the retention', async () => {
    const { unreachable: id } = ids;
    const refused = { outcome: 'failed', answer: null, certificate: null, rules: [], reason: expect.stringMatching(/refused/) };
    for (const [kind, type, url] of [
      ['certificate', 'CertificateLookFailed', 'https://127.93.7.1/'],
      ['redirect', 'RedirectUnreachable', 'http://127.93.7.1/'],
    ] as const) {
      expect(await evidenceOf(id, kind, type)).toMatchObject({ ...refused, kind, event: { type }, redirects: [] });
      expect(await verdictOn(id, kind, type)).toMatchObject({ kind: 'follows', event: { type } });
      const event = await until(type, () => logged(`${kind}-${id}`, type));
      expect(event.data).toMatchObject({ reason: expect.stringMatching(/refused/), ...(kind === 'redirect' && { url }) });
    }
    const event = await until('the event', () => logged(`redirect-${id}`, 'RedirectUnreachable'));
    const project = Buffer.from(id, 'hex');
    await service.observations.pool.query('UPDATE kept_exchange SET at = at - 10 * 365 * 86400000::bigint WHERE project_id = $1', [
      project,
    ]);
    await applyRetention(service.observations.pool, { days: 365, keptBytes: 1e9 }, Date.now());
    for (const more of ['', '/page', '?format=file'])
      expect(await ask('GET', `${evidencePath(id, event)}${more}`)).toMatchObject({
        ...{ code: 410, errorCode: 'EVIDENCE_EXPIRED' },
        known: { exchange: event.data['exchange'], page: null },
      });
  });

  it('has a missed daily certificate check made up after a restart', async () => {
    const { pool } = service.observations;
    const { owed: id } = ids;
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
