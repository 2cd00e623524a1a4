import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ApiClient, type Json } from '../../support/api-client.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { startThrowawayCluster, type ThrowawayCluster } from '../../../src/operations/embedded-postgres/throwaway-cluster.ts';
import { until } from '../../support/until.ts';

/**
 * Shorter than the minute of the requirement: the checker releases its shards after 7 s, others may claim them after 10 s, and a sample is valid
 * for twice its period of 15 s. Nothing else changes after that.
 */
const AWAY_MS = 45_000;
const GIVEN_UP_MS = 7_000 + 5_000;
const PERIOD_MS = 15_000;
/** Tolerance for a busy machine. */
const SLACK_MS = 20_000;
const PROJECTS = 8;

let cluster: ThrowawayCluster;
let service: TestService;
let site: Site;
let api: ApiClient;
let projects: { readonly id: string; readonly path: string; readonly testId: string }[] = [];
const asked: { readonly path: string; readonly at: number }[] = [];
let status = 200;

beforeAll(async () => {
  cluster = await startThrowawayCluster();
  const url = `${cluster.url}/watchledger`;
  const admin = new pg.Client({ connectionString: `${cluster.url}/postgres` });
  await admin.connect();
  await admin.query('CREATE DATABASE watchledger');
  await admin.end();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  site = await startHttp((request, response) => {
    asked.push({ path: request.url ?? '', at: Date.now() });
    response.statusCode = status;
    response.setHeader('content-type', 'text/html').end('<title>Shop</title><p>Welcome</p>');
  });
  service = await TestService.start({
    database: { url, pool, drop: () => pool.end() },
    // Stored elsewhere, a failure of the seconds before the checker pauses would rightly be kept, and suspected once the database is back.
    env: { RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8', OBSERVATIONS_URL: '' },
  });
  api = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
  projects = await Promise.all(
    Array.from({ length: PROJECTS }, async (_, index) => {
      const path = `/watched/${String(index)}`;
      const { id } = (await api.post('/project/create', { url: `${site.url}${path}` })).body as { id: string };
      await api.put(`/project/${id}`, { uptimeEnabled: '15', period: '5 minutes' });
      const test = await api.post(`/project/${id}/tests`, { url: `/tested/${String(index)}`, name: 'Page' });
      return { id, path, testId: test.body.id as string };
    }),
  );
});
afterAll(async () => {
  await service.stop();
  await site.close();
  await cluster.stop();
});

const since = (from: number, to = Infinity): readonly string[] => asked.filter(({ at }) => at > from && at < to).map(({ path }) => path);
const watched = (from: number): boolean => projects.every(({ path }) => since(from).includes(path));
const iso = (at: number): string => encodeURIComponent(new Date(at).toISOString());

describe('a database that is unavailable for a while', () => {
  it('pauses and resumes the checker, and counts the time as unknown, not as down', async () => {
    for (const { id, testId } of projects) await api.get(`/project/${id}/start?keep-alive=true&tests=${testId}`);
    await until(() => Promise.resolve(watched(0)), PERIOD_MS + SLACK_MS, 'that all are watched');
    const once = Date.now();
    // Two samples, because that of the last second before the outage may not be stored.
    await until(() => Promise.resolve(watched(once)), PERIOD_MS + SLACK_MS, 'that all are watched a second time');

    await cluster.goAway();
    const away = Date.now();
    // A probe from now on would find every site broken.
    status = 500;
    await until(() => Promise.resolve(Date.now() > away + GIVEN_UP_MS), GIVEN_UP_MS + SLACK_MS);
    const refused = await api.get(`/project/${projects[0]?.id ?? ''}`);
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 503, ok: false, error: true });
    await until(() => Promise.resolve(Date.now() > away + AWAY_MS), AWAY_MS + SLACK_MS);
    expect(since(away + GIVEN_UP_MS, away + AWAY_MS)).toEqual([]);
    status = 200;
    await cluster.comeBack();
    const back = Date.now();

    // Eight sites over 15 s: one is due every two seconds. The checker itself has 10 s.
    await until(() => Promise.resolve(since(back).length > 0), 10_000 + SLACK_MS, 'that it continues');
    await until(() => Promise.resolve(watched(back)), 10_000 + PERIOD_MS + SLACK_MS, 'that all are watched again');
    const goneOn = Date.now();
    for (const { id, testId } of projects) {
      const job = await api.get(`/project/${id}/start?keep-alive=true&tests=${testId}`);
      expect((await api.get(`/project/${id}/job/${job.body.jobId as string}/results`)).body).toMatchObject({
        total: 1,
        failed: 0,
        processed: true,
      });
    }

    for (const { id, testId } of projects) {
      const { events } = (await api.get(`/project/${id}/history?limit=1000`)).body as { events: Json[] };
      const verdicts = events
        .map(({ type }) => type as string)
        .filter((type) => /^(Check(Failed|Suspected|Recovered)|Uptime(WentDown|Suspected))$/.test(type));
      expect(verdicts).toEqual([]);
      expect((await api.get(`/test/${testId}`)).body.status).toMatchObject({ status: 'ok', failures: [] });
      const report = (await api.get(`/project/${id}/uptime?start=${iso(away - 5_000)}&end=${iso(goneOn)}`)).body;
      expect(report.uptime).toMatchObject({ up: 100, down: 0, timeout: 0 });
      // The last sample before the outage is valid for twice its period; the time from there to the first sample after it is unknown.
      expect(report.unknownSeconds).toBeGreaterThan(AWAY_MS / 1_000 - 2 * (PERIOD_MS / 1_000) - 1);
      expect(report.unknownSeconds).toBeLessThan((goneOn - away) / 1_000);
    }
  });
});
