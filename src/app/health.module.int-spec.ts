import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { JSDOM } from 'jsdom';
import 'reflect-metadata';
import { until } from '../../test/support/until.ts';
import { isRelease, thorough } from '../../test/support/thorough.ts';
import type { MetricsAccess } from '../platform/http/server/metrics-server.ts';
import { meterConsumers } from '../platform/consumers/consumer-metrics.ts';
import { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { Metrics } from '../platform/telemetry/metrics/metrics.ts';
import { meterProjections } from '../platform/telemetry/metrics/projection-metrics.ts';
import { meterDeadLetters, reportDeadLetters } from '../alerts/dead-letter-metrics.ts';
import { meterRequests } from '../platform/http/server/request-telemetry.ts';
import { HealthModule } from './health.module.ts';

@Controller()
class ThingController {
  @Get('thing/:id')
  getThing(@Param('id') id: string) {
    return { id };
  }
}

@Module({ controllers: [ThingController] })
class TestModule {}

let app: NestFastifyApplication;
beforeEach(() => start());
afterEach(() => app.close());

async function start(access: Partial<MetricsAccess> = {}): Promise<void> {
  const all = { host: '127.0.0.1', metricsPort: undefined, metricsToken: undefined, ...access };
  const metrics = { provide: Metrics, useValue: new Metrics() };
  app = await NestFactory.create<NestFastifyApplication>(
    { module: TestModule, global: true, imports: [HealthModule.forRoot(all)], providers: [metrics], exports: [Metrics] },
    new FastifyAdapter(),
    { logger: false, abortOnError: false },
  );
  app.setGlobalPrefix('api');
  meterRequests(app.getHttpAdapter().getInstance(), app.get(Metrics));
  await app.listen(0, '127.0.0.1');
}

async function restart(access: Partial<MetricsAccess>): Promise<void> {
  await app.close();
  await start(access);
}

const get = async (path: string) => {
  const response = await fetch(new URL(path, await app.getUrl()));
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
};

describe('health', () => {
  it('is alive although a part fails', async () => {
    app.get(HealthParts).register('database', () => Promise.reject(new Error('unavailable')));
    expect(await get('/health/live')).toMatchObject({ status: 200 });
  });

  it('names the part that is not ready', async () => {
    app.get(HealthParts).register('database', () => undefined);
    expect(await get('/health/ready')).toMatchObject({ status: 200, body: '{"ready":true,"parts":{"database":"ok"}}' });
    app.get(HealthParts).register('event store', () => Promise.reject(new Error('connection refused')));
    const { status, body } = await get('/health/ready');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({ ready: false, parts: { database: 'ok', 'event store': 'connection refused' } });
  });

  it('does not wait for a part that hangs', async () => {
    app.get(HealthParts).register('dns', () => new Promise<void>(() => undefined));
    expect(JSON.parse((await get('/health/ready')).body)).toEqual({ ready: false, parts: { dns: 'no answer within 2000 ms' } });
  });

  it('shows a failing part that is not required, and stays ready', async () => {
    app.get(HealthParts).show('seal', () => Promise.reject(new Error('nothing is sealed')));
    const { status, body } = await get('/health/ready');
    expect([status, JSON.parse(body)]).toMatchObject([200, { ready: true, parts: { seal: 'nothing is sealed' } }]);
  });

  it('is not ready from the start of the shutdown', async () => {
    app.get(HealthParts).onModuleDestroy();
    expect((await get('/health/ready')).status).toBe(503);
  });
});

describe('metrics', () => {
  it('label requests by the pattern of the route, never by the path', async () => {
    await get('/api/thing/1');
    await get('/api/thing/2');
    await get('/api/never/there');
    const { body } = await get('/metrics');
    expect(body).toContain('watchledger_http_request_duration_seconds_count{method="GET",route="/api/thing/:id",status="200"} 2');
    expect(body).toContain('watchledger_http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 1');
    expect(body).not.toContain('never');
    expect(body).toContain('nodejs_eventloop_lag_seconds');
  });

  it('show how far a projection is behind', async () => {
    const standing = { name: 'core', state: 'live', position: 90, gap: 10, lagSeconds: 0.5, parked: 2 } as const;
    meterProjections(app.get(Metrics).registry, () => Promise.resolve([standing]));
    const { body } = await get('/metrics');
    expect(body).toContain('watchledger_projection_gap_events{projection="core"} 10');
    expect(body).toContain('watchledger_projection_lag_seconds{projection="core"} 0.5');
    expect(body).toContain('watchledger_projection_parked_keys{projection="core"} 2');
    expect(body).toContain('watchledger_projection_state{projection="core",state="live"} 1');
    expect(body).toContain('watchledger_projection_state{projection="core",state="failed"} 0');
  });

  it('show the state of each consumer of the log', async () => {
    const alerts = {
      name: 'alerts',
      about: 'alerts',
      package: null,
      state: 'paused',
      position: 90,
      head: 100,
      gap: 10,
      lag: 7,
      parked: 2,
    } as const;
    meterConsumers(app.get(Metrics).registry, () => Promise.resolve([alerts]));
    const { body } = await get('/metrics');
    expect(body).toContain('watchledger_consumer_lag_seconds{consumer="alerts"} 7');
    expect(body).toContain('watchledger_consumer_parked_partitions{consumer="alerts"} 2');
    expect(body).toContain('watchledger_consumer_state{consumer="alerts",state="paused"} 1');
    expect(body).toContain('watchledger_consumer_state{consumer="alerts",state="live"} 0');
  });

  it('count dead letters, and readiness names their cause', async () => {
    const readStatus = () => Promise.resolve({ events: 3, scopes: 2, first: 'project-a', seconds: 7 });
    meterDeadLetters(app.get(Metrics).registry, readStatus);
    reportDeadLetters(app.get(HealthParts), readStatus);
    const { body } = await get('/metrics');
    expect(body).toContain('watchledger_dead_letter_events 3');
    expect(body).toContain('watchledger_dead_letter_seconds 7');
    expect((await get('/health/ready')).body).toContain('3 events of project-a and 1 more cause no notifications');
  });

  it('omit values that cannot be read while the database is unavailable', async () => {
    let isUnavailable = false;
    const head = (): Promise<number> => (isUnavailable ? Promise.reject(new Error('unavailable')) : Promise.resolve(100));
    app.get(Metrics).log(head);
    expect((await get('/metrics')).body).toContain('watchledger_log_head 100');
    isUnavailable = true;
    app.get(Metrics).text.forget();
    const { status, body } = await get('/metrics');
    expect(status).toBe(200);
    expect(body).not.toMatch(/^watchledger_log_head /m);
    expect(body).toContain('nodejs_eventloop_lag_seconds');
  });
});

describe('a scrape', () => {
  it('is computed once a second, however many ask', async () => {
    let computed = 0;
    app.get(Metrics).log(() => Promise.resolve(++computed));
    await Promise.all(Array.from({ length: 20 }, () => get('/metrics')));
    await get('/metrics');
    expect(computed).toBe(1);
    await until(async () => (await get('/metrics')).body.includes('watchledger_log_head 2'), 2_000, 'the next computation');
  });

  it('needs the token where one is configured', async () => {
    await restart({ metricsToken: 'a-token-of-prometheus' });
    const scrape = async (authorization: string) => (await fetch(`${await app.getUrl()}/metrics`, { headers: { authorization } })).status;
    expect([await scrape('Bearer a-token-of-prometheus'), await scrape('Bearer another'), (await get('/metrics')).status]).toEqual([
      200, 401, 401,
    ]);
    expect((await get('/health/live')).status).toBe(200);
  });

  it('is answered on a port of its own where one is configured, and on no other', async () => {
    const metricsPort = await freePort();
    await restart({ metricsPort, metricsToken: 'a-token-of-prometheus' });
    const own = `http://127.0.0.1:${String(metricsPort)}`;
    const headers = { authorization: 'Bearer a-token-of-prometheus' };
    const scraped = await fetch(`${own}/metrics`, { headers });
    expect([scraped.status, await scraped.text()]).toEqual([200, expect.stringContaining('nodejs_eventloop_lag_seconds')]);
    expect([(await fetch(`${own}/metrics`)).status, (await fetch(`${own}/api/projects`, { headers })).status]).toEqual([401, 404]);
    expect((await get('/metrics')).status).toBe(404);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const inWhole = (whole: Response): Promise<Response> => Promise.resolve(whole);

/** The description with the first path of each part: the page renders it in a tenth of the time. */
async function inPart(whole: Response): Promise<Response> {
  const document = (await whole.json()) as { paths: Record<string, Record<string, { tags: readonly string[] }>> };
  const tagsOf = (path: string): string => String(Object.values(document.paths[path] ?? {})[0]?.tags);
  const firsts = new Map(
    Object.keys(document.paths)
      .map((path) => [tagsOf(path), path] as const)
      .toReversed(),
  );
  const paths = [...firsts.values(), '/project/create'].map((path) => [path, document.paths[path]] as const);
  return Response.json({ ...document, paths: Object.fromEntries(paths) });
}

describe('the API description', () => {
  it('is served without a token, and contains its own path', async () => {
    const { status, body } = await get('/api/openapi.json');
    expect(status).toBe(200);
    const document = JSON.parse(body) as { openapi: string; paths: Record<string, object> };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toContain('/openapi.json');
  });

  it('is shown by a page that loads nothing from other hosts', async () => {
    const page = await get('/docs');
    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map((match) => match[1] ?? '')
      .filter((link) => !link.startsWith('data:'));
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) expect(await get(link)).toMatchObject({ status: 200 });
  });

  if (isRelease)
    it('is shown with a heading for each part and its operations below', async () => {
      const asked: string[] = [];
      const dom = await JSDOM.fromURL(`${await app.getUrl()}/docs`, {
        runScripts: 'dangerously',
        resources: 'usable',
        pretendToBeVisual: true,
        beforeParse: (window) => {
          window.fetch = (input: RequestInfo | URL) => {
            const url = input instanceof Request ? input.url : String(input);
            asked.push(url);
            return fetch(new URL(url, window.location.href)).then(thorough(inWhole, inPart));
          };
        },
      });
      const { document } = dom.window;
      await until(() => Promise.resolve(document.querySelectorAll('.opblock-tag').length > 10), 20_000, 'the headings');
      expect([...document.querySelectorAll('.opblock-tag')].map((heading) => heading.textContent)).toContainEqual(
        expect.stringContaining('Projects'),
      );
      expect(document.querySelector('.errors-wrapper')).toBeNull();
      document.querySelector<HTMLElement>('#operations-tag-Projects')?.click();
      await until(() => Promise.resolve(document.body.textContent.includes('/project/create')), 20_000, 'the operations');
      const { origin } = new URL(await app.getUrl());
      expect(asked.filter((url) => new URL(url, origin).origin !== origin)).toEqual([]);
      dom.window.close();
    });
});
