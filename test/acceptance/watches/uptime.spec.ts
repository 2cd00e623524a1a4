import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliOutput } from '../../../src/platform/cli/command.ts';
import { readKeys } from '../../../src/proof/command-line/verify-file.ts';
import { verifyStatementPage } from '../../../src/proof/statement/command-line/verify-statement-page.ts';
import { verifyStatementText } from '../../../src/proof/statement/command-line/verify-statement-text.ts';
import { PackCompactor } from '../../../src/platform/observations/packs/pack-compactor.ts';
import { sampleKind } from '../../../src/platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../../src/platform/observations/samples/sample.ts';
import type { SignedStatement } from '../../../src/proof/statement/document.ts';
import { splitFile } from '../../../src/proof/statement/page/page-file.ts';
import { ApiClient } from '../../support/api-client.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { isRelease } from '../../support/thorough.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const DAY = 86_400_000;
/** Midnight, ten days ago. */
const START = Math.floor(Date.now() / DAY) * DAY - 10 * DAY;
/** Noon in a month that is over, within the retention. */
const OLD = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 2, 15, 12);

let service: TestService;
let token: string;
let projectId: string;
/** Measured two months ago. */
let oldProjectId: string;

const ask = (method: string, path: string, body?: object): Promise<Answer> => new ApiClient(service.url, token).send(method, path, body);
const read = (path: string): Promise<Answer> => ask('GET', `/project/${projectId}/${path}`);
const iso = (at: number): string => new Date(at).toISOString().replace('.000Z', '+00:00');
const query = (from: number, to?: number): string =>
  new URLSearchParams({ start: iso(from), ...(to !== undefined && { end: iso(to) }) }).toString();

const sample = (at: number, outcome: Sample['outcome'] = 'up'): Sample => ({
  at,
  outcome,
  periodSeconds: 60,
  httpStatus: outcome === 'timeout' ? 0 : outcome === 'up' ? 200 : 500,
  reason: null,
  dns: 1,
  connect: 2,
  tls: 3,
  request: 0.5,
  waiting: 40,
  download: 3.5,
  total: 50,
});

beforeAll(async () => {
  // Without a checker: the only samples are those written here.
  service = await TestService.start({ env: { ALLOW_TARGETS: '127.0.0.0/8', ROLES: 'api,projector,reactor' } });
  const signedIn = await fetch(`${service.url}/api/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/plain' },
    body: JSON.stringify(ADMIN),
  });
  token = await signedIn.text();
  projectId = String((await ask('POST', '/project/create', { url: 'http://127.0.0.1:8099' })).body['id']);
  expect(projectId).toMatch(/^[0-9a-f]{24}$/);
  // A day of samples: down from 06:00 to 07:00, timeouts from 12:00 to 12:10, no samples from 18:00.
  const minutes = Array.from({ length: 18 * 60 }, (_, minute) => {
    const outcome = minute >= 360 && minute < 420 ? 'down' : minute >= 720 && minute < 730 ? 'timeout' : 'up';
    return sample(START + minute * 60_000, outcome);
  });
  // Two hours in a month that is over, with an outage of ten minutes.
  const old = Array.from({ length: 120 }, (_, minute) => sample(OLD + minute * 60_000, minute >= 30 && minute < 40 ? 'down' : 'up'));
  await new PackCompactor(service.observations.pool, sampleKind).write(projectId, minutes);
  oldProjectId = String((await ask('POST', '/project/create', { url: 'http://127.0.0.1:8099' })).body['id']);
  await new PackCompactor(service.observations.pool, sampleKind).write(oldProjectId, old);
});
afterAll(() => service.stop());

describe('GET /project/{id}/uptime', () => {
  it('answers percentages of the known time, in total and by day', async () => {
    const { status, body } = await read(`uptime?${query(START, START + DAY)}`);
    expect(status).toBe(200);
    const known = 18 * 60 + 1;
    const up = ((known - 70) / known) * 100;
    expect(body).toMatchObject({
      from: iso(START),
      to: iso(START + DAY),
      daysCount: 1,
      isUptimeEnabled: true,
      unknownSeconds: 6 * 3600 - 60,
    });
    expect(body['uptime']).toEqual({
      up: expect.closeTo(up, 9),
      down: expect.closeTo((60 / known) * 100, 9),
      timeout: expect.closeTo((10 / known) * 100, 9),
    });
    expect(body['uptimeByDays']).toEqual([
      {
        date: iso(START),
        up: expect.closeTo(up, 9),
        down: expect.closeTo((60 / known) * 100, 9),
        timeout: 1,
        timeoutPercent: expect.closeTo((10 / known) * 100, 9),
        unknownSeconds: 6 * 3600 - 60,
      },
    ]);
  });

  it('counts days in the offset of the request and answers in it', async () => {
    const start = new Date(START).toISOString().replace('.000Z', '+05:30');
    const { body } = await read(`uptime?start=${start}`);
    expect(body['from']).toBe(start);
    expect(String(body['to'])).toMatch(/\+05:30$/);
    expect((body['uptimeByDays'] as { date: string }[]).map(({ date }) => date)).toEqual([start]);
    const west = await read(`uptime?start=${start.replace('+05:30', '-00:30')}`);
    expect((west.body['uptimeByDays'] as unknown[]).length).toBe(1);
  });

  it.each([
    ['', 405],
    ['start=', 405],
    ['start=2026-01-01', 405],
    ['start=yesterday', 405],
    ['start=2026-02-30T00:00:00Z', 405],
    ['start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z', 405],
    ['start=2026-01-01T00:00:00Z&end=soon', 400],
    ['start=2026-01-01T00:00:00Z&excludeMaintenance=maybe', 400],
  ])('refuses %p with %i', async (asked, code) => {
    const { status, body } = await read(`uptime?${asked}`);
    expect(status).toBe(code);
    expect(body).toMatchObject({ code, ok: false, error: true });
  });

  it.each([
    'start=2999-01-01T00:00:00Z',
    'start=0001-01-01T00:00:00Z&end=0002-01-01T00:00:00Z',
    'start=2020-01-01T00:00:00 02:00&end=2020-01-01T00:00:00 02:00',
  ])('answers an empty report to %p', async (asked) => {
    const { status, body } = await read(`uptime?${asked}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ uptime: { up: 0, down: 0, timeout: 0 }, uptimeByDays: [] });
  });

  it('spans ten thousand years', async () => {
    const { body } = await read('uptime?start=0001-01-01T00:00:00Z&end=9999-12-31T23:59:59Z');
    expect((body['uptimeByDays'] as unknown[]).length).toBe(1);
    expect(body['daysCount']).toBe(3_652_058);
  });

  it("answers alike for another account's project and an unknown one", async () => {
    expect((await ask('GET', `/project/${'0'.repeat(24)}/uptime?${query(START)}`)).status).toBe(403);
  });
});

describe('GET /project/{id}/responseTimes', () => {
  it('answers each sample of up to an hour', async () => {
    const { status, body } = await read(`responseTimes?${query(START, START + 3_600_000)}`);
    expect(status).toBe(200);
    expect(body).toHaveLength(60);
    expect((body as unknown as object[])[0]).toEqual({
      responseDate: iso(START),
      dnsLookupTime: 1,
      initialConnectionTime: 2,
      sslTime: 3,
      requestTime: 0.5,
      waitingTime: 40,
      contentDownloadTime: 3.5,
      totalResponseTime: 50,
    });
  });

  it('answers means over buckets aligned to the epoch, with percentiles', async () => {
    const records = (await read(`responseTimes?${query(START, START + DAY)}`)).body as unknown as {
      responseDate: string;
      totalResponseTime: number;
      p95: number;
    }[];
    expect(records.every(({ responseDate }) => Date.parse(responseDate) % 1_000_000 === 0)).toBe(true);
    expect(records[0]).toMatchObject({ totalResponseTime: 50, p95: expect.closeTo(50, 0) });
    const wide = (await read(`responseTimes?${query(START - 8 * DAY, START + DAY)}`)).body as unknown as { responseDate: string }[];
    expect(wide.every(({ responseDate }) => Date.parse(responseDate) % 5_000_000 === 0)).toBe(true);
    expect((await read(`responseTimes?${query(START, START + DAY)}&resolution=86400`)).body).toHaveLength(1);
    expect((await read(`responseTimes?${query(START, START + DAY)}&raw`)).body).toHaveLength(18 * 60 - 10);
  });

  it('spans ten thousand years', async () => {
    for (const start of ['0001-01-01T00:00:00Z', '1969-12-31T23:59:59Z'])
      expect((await read(`responseTimes?start=${start}&end=9999-12-31T23:59:59Z`)).status).toBe(200);
    expect(await read('responseTimes?start=0001-01-01T00:00:00Z&end=1000-01-01T00:00:00Z')).toMatchObject({ status: 200, body: [] });
  });

  it('answers 405 with the message of the interface when start is missing', async () => {
    for (const asked of ['', 'start=', 'start=2026-01-01', 'start=monday']) {
      const { status, body } = await read(`responseTimes?${asked}`);
      expect(status).toBe(405);
      expect(body).toMatchObject({ success: false, ok: false, error: true });
      expect(String(body['message'])).toContain('Start time is empty or invalid');
    }
    expect((await read(`responseTimes?${query(START)}&resolution=-5`)).status).toBe(400);
    expect((await read('responseTimes?start=2999-01-01T00:00:00Z')).body).toEqual([]);
  });
});

describe('maintenance', () => {
  it('is excluded from the report on request', async () => {
    const from = START + 6 * 3_600_000;
    const made = await ask('POST', `/project/${projectId}/maintenance`, { from: iso(from), to: iso(from + 3_600_000), note: 'new disks' });
    expect(made).toMatchObject({
      status: 200,
      body: { from: iso(from), to: iso(from + 3_600_000), note: 'new disks', repeat: null, endedAt: null, active: false },
    });
    const path = `uptime?${query(START, START + DAY)}`;
    expect((await read(path)).body).not.toHaveProperty('maintenanceSeconds');
    const without = (await read(`${path}&excludeMaintenance=true`)).body;
    expect(without).toMatchObject({ maintenanceSeconds: 3600, unknownSeconds: 6 * 3600 - 60, uptime: { down: 0 } });
    expect((await ask('GET', `/project/${projectId}/maintenance`)).body).toEqual([made.body]);
  });

  it('shows in the report that it was entered afterwards, and stays in it when it is cancelled', async () => {
    const [entered] = (await ask('GET', `/project/${projectId}/maintenance`)).body as unknown as readonly Record<string, unknown>[];
    const id = String(entered?.['id']);
    const path = `uptime?${query(START, START + DAY)}`;
    const maintenance = { announcedSeconds: 0, afterwardsSeconds: 3600, windows: [entered] };
    const report = (await read(path)).body;
    expect(report).toMatchObject({ maintenance });
    expect((await read(`${path}&excludeMaintenance=announced`)).body).toMatchObject({ maintenanceSeconds: 0, uptime: report['uptime'] });
    expect((await read(`history?type=MaintenanceScheduled`)).body).toMatchObject({
      events: [{ id: entered?.['event'], recordedAt: expect.stringMatching(/./) }],
    });
    const done = { code: 200, ok: true, error: false };
    expect((await ask('DELETE', `/project/${projectId}/maintenance/${id}`)).body).toEqual(done);
    expect((await ask('DELETE', `/project/${projectId}/maintenance`, { id })).body).toEqual(done);
    const { body: after } = await read(`${path}&excludeMaintenance=true`);
    expect(after).toMatchObject({
      maintenanceSeconds: 3600,
      maintenance: { ...maintenance, windows: [{ ...entered, endedAt: expect.stringMatching(/^20/) }] },
    });
  });

  it('is announced when it was recorded before it began, and removed when it is cancelled by then', async () => {
    const from = Math.ceil(Date.now() / 1000) * 1000 + 5_000;
    const wanted = { from: iso(from), to: iso(from + 3_600_000) };
    const { body: early } = await ask('POST', `/project/${projectId}/maintenance`, wanted);
    expect((await ask('DELETE', `/project/${projectId}/maintenance/${String(early['id'])}`)).status).toBe(200);
    expect((await ask('DELETE', `/project/${projectId}/maintenance/${String(early['id'])}`)).status).toBe(404);
    await ask('POST', `/project/${projectId}/maintenance`, wanted);
    await new Promise((resolve) => setTimeout(resolve, from + 1_000 - Date.now()));
    const { body } = await read(`uptime?${query(from - 60_000)}&excludeMaintenance=announced`);
    const { maintenanceSeconds, maintenance } = body as {
      maintenanceSeconds: number;
      maintenance: { announcedSeconds: number; afterwardsSeconds: number };
    };
    expect(maintenance).toMatchObject({ announcedSeconds: maintenanceSeconds, afterwardsSeconds: 0, windows: [{ ...wanted }] });
    expect(maintenanceSeconds).toBeGreaterThanOrEqual(1);
  });

  it('repeats, and is refused with a reason when invalid', async () => {
    const now = Date.now();
    const weekly = await ask('POST', `/project/${projectId}/maintenance`, {
      from: iso(Math.floor(now / 1000) * 1000 - 7 * DAY - 60_000),
      to: iso(Math.floor(now / 1000) * 1000 - 7 * DAY + 600_000),
      repeat: 'weekly',
    });
    expect(weekly.body).toMatchObject({ repeat: 'weekly', active: true });
    for (const wrong of [
      {},
      { from: 'x', to: iso(now) },
      { from: iso(START), to: iso(START - 1000) },
      { from: iso(START), to: iso(START + 1000), repeat: 'hourly' },
      { from: iso(START), to: iso(START + 1000), colour: 'red' },
    ]) {
      expect((await ask('POST', `/project/${projectId}/maintenance`, wrong)).status).toBe(400);
    }
  });
});

describe('charts and badges', () => {
  const fetched = async (path: string, authorized = true): Promise<{ status: number; type: string | null; text: string }> => {
    const below = path.startsWith('http') ? path.slice(`${service.url}/api`.length) : `/project/${projectId}/${path}`;
    const { status, headers, text } = await new ApiClient(service.url, authorized ? token : null).get(below);
    return { status, type: headers.get('content-type'), text };
  };

  it('draws uptime and response times in light and dark', async () => {
    for (const path of [
      `uptime.svg?${query(START, START + DAY)}`,
      `responseTimes.svg?${query(START, START + DAY)}&theme=dark`,
      'uptime.svg',
    ]) {
      const { status, type, text } = await fetched(path);
      expect({ status, type }).toEqual({ status: 200, type: 'image/svg+xml; charset=utf-8' });
      expect(text).toMatch(/^<svg .*<\/svg>$/);
    }
    expect((await fetched(`uptime.svg?${query(START, START + DAY)}`)).text).toContain('93.52 % up');
    expect((await fetched('uptime.svg?start=tomorrow')).status).toBe(405);
    expect((await fetched('uptime.svg?theme=pink')).status).toBe(400);
    expect((await fetched('uptime.svg', false)).status).toBe(401);
  });

  it('serves a badge behind a link that the owner enables and disables', async () => {
    expect((await read('badge')).body).toEqual({ enabled: false, url: null });
    const { body } = await ask('PUT', `/project/${projectId}/badge`, { enabled: true });
    const url = String(body['url']);
    const shown = await fetched(url, false);
    expect(shown).toMatchObject({ status: 200, type: 'image/svg+xml; charset=utf-8' });
    expect(shown.text).toContain('uptime 30 d');
    expect((await fetched(url.slice(0, -1), false)).status).toBe(404);
    expect((await fetched('badge.svg', false)).status).toBe(404);
    await ask('PUT', `/project/${projectId}/badge`, { enabled: false });
    expect((await fetched(url, false)).status).toBe(404);
    const again = await ask('PUT', `/project/${projectId}/badge`, { enabled: true });
    expect(again.body['url']).not.toBe(url);
    expect((await fetched(url, false)).status).toBe(404);
    expect((await ask('PUT', `/project/${projectId}/badge`, { enabled: 'yes' })).status).toBe(400);
  });
});

describe('the objective of a project', () => {
  const wanted = {
    objective: { percent: 99.95, window: 'month' },
    offset: '+01:00',
    methods: [
      { name: 'ours', maintenance: 'all' },
      {
        name: 'contract',
        title: "The contract's",
        down: { unconfirmed: true },
        unknown: 'down',
        rounding: { decimals: 2, mode: 'nearest' },
      },
    ],
    credits: [
      { below: 99.95, percent: 10 },
      { below: 99, percent: 25.5 },
    ],
  };

  it('is set, answered with its event, read as of an instant, and removed', async () => {
    const before = await ask('GET', `/project/${projectId}/objective`);
    expect(before.body).toMatchObject({ objective: null, offset: '+00:00', methods: [{ name: 'standard' }], credits: [], event: null });
    const set = await ask('PUT', `/project/${projectId}/objective`, wanted);
    expect(set).toMatchObject({ status: 200, body: { objective: wanted.objective, offset: '+01:00', credits: wanted.credits } });
    expect(set.body['methods']).toMatchObject([
      {
        name: 'ours',
        title: 'ours',
        down: { unconfirmed: false, timeouts: true },
        maintenance: 'all',
        rounding: { decimals: 3, mode: 'down' },
      },
      { name: 'contract', down: { unconfirmed: true, timeouts: true }, maintenance: 'announced', unknown: 'down' },
    ]);
    // An answer is accepted as a request, and the same value makes no event.
    expect((await ask('PUT', `/project/${projectId}/objective`, set.body)).body).toEqual(set.body);
    const { body: history } = await read(`history?type=ObjectiveSet`);
    expect(history['events']).toMatchObject([{ id: set.body['event'], summary: 'Objective set: 99.95 % a month, by ours and contract' }]);
    const position = Number((history['events'] as { position: string }[])[0]?.position);
    expect((await ask('DELETE', `/project/${projectId}/objective`)).status).toBe(200);
    expect((await read('objective')).body).toEqual(before.body);
    expect((await read(`objective?asOf=${String(position)}`)).body).toEqual(set.body);
    expect((await read(`objective?asOf=${String(position - 1)}`)).body).toEqual(before.body);
  });

  it.each([
    [{ objective: { percent: 100.5, window: 'month' } }, 'objective.percent: must be a percentage'],
    [{ objective: { percent: 99.99999, window: 'month' } }, 'objective.percent: must be a percentage'],
    [{ objective: { percent: 99, window: 'week' } }, 'objective.window: must be one of month, quarter, year'],
    [{ offset: '+01:20' }, 'offset: must be an existing UTC offset'],
    [{ methods: [{ name: 'Ours!' }] }, 'methods.0.name: '],
    [{ methods: [{ name: 'a' }, { name: 'a' }] }, 'methods: two methods have the name "a"'],
    [{ methods: [{ name: 'a', unknown: 'up' }] }, 'methods.0.unknown: must be one of excluded, down'],
    [{ methods: 'ours' }, 'methods: must be a list'],
    [
      {
        credits: [
          { below: 99, percent: 10 },
          { below: 99.5, percent: 20 },
        ],
      },
      'credits.1.below: ',
    ],
    [{ goal: 1 }, 'goal: is not a known field'],
  ])('refuses %j', async (body, message) => {
    const answer = await ask('PUT', `/project/${projectId}/objective`, body);
    expect([answer.status, answer.body['message']]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('GET /project/{id}/statement', () => {
  it('answers the figures of an open month with the days that are not closed yet, kept by nothing', async () => {
    const month = iso(Date.now()).slice(0, 7);
    const { status, body } = await read(`statement?month=${month}&format=json`);
    expect([status, body['edition'], body['figures']]).toEqual([200, null, [expect.objectContaining({ method: 'standard' })]]);
    const { body: spanned } = await read(
      `statement?${new URLSearchParams({ from: iso(START), to: iso(START + DAY), format: 'json' }).toString()}`,
    );
    expect(spanned['figures']).toMatchObject([{ downMs: 70 * 60_000, unknownMs: 6 * 3_600_000 - 60_000, availability: 93.524 }]);
    expect(spanned['days']).toMatchObject([{ day: iso(START).slice(0, 10), event: null, measured: true }]);
    expect(spanned['incidents']).toMatchObject([{ ms: 3_600_000, cause: 'cause not recorded' }, { ms: 600_000 }]);
  });

  it('keeps no statement of a month before the project existed', async () => {
    const { status, body } = await read('statement?month=1999-12&format=json');
    expect([status, body['edition'], body['days']]).toEqual([
      200,
      null,
      expect.arrayContaining([expect.objectContaining({ event: null })]),
    ]);
  });

  it('answers a file to read unless JSON is asked for, which may run its own verifier and nothing else', async () => {
    const path = `/project/${projectId}/statement?month=${iso(Date.now()).slice(0, 7)}`;
    const typeOf = async (accept: string, format = ''): Promise<string> =>
      (await new ApiClient(service.url, token).with({ accept }).raw('GET', `${path}${format}`)).headers.get('content-type') ?? '';
    expect([
      await typeOf('*/*'),
      await typeOf('text/html,*/*;q=0.8'),
      await typeOf('application/json'),
      await typeOf('text/html', '&format=json'),
    ]).toEqual([
      ...['text/html; charset=utf-8', 'text/html; charset=utf-8'],
      ...['application/json; charset=utf-8', 'application/json; charset=utf-8'],
    ]);
    const { headers, text } = await new ApiClient(service.url, token).raw('GET', path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-.+connect-src 'none'; .+; sandbox allow-scripts$/);
    const [script = ''] = /(?<=\n<script>)[^]+?(?=<\/script>)/.exec(text) ?? [];
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  });

  it.each([
    ['', 'month: must be a calendar month such as 2026-10, or from and to'],
    ['month=2026-13', 'month: must be a calendar month'],
    ['month=2999-01', 'month: must not be in the future'],
    ['month=2026-01&from=2026-01-01T00:00:00Z', 'month: cannot be combined'],
    ['from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'to: a statement covers at most 366 days'],
    ['month=2026-01&offset=%2B01:20', 'offset: must be an existing UTC offset'],
    ['month=2026-01&method=none', 'method: the project has no method "none"; it has standard'],
    ['month=2026-01&method=Ours!', 'method: must be the name of a method'],
    ['month=2026-01&format=pdf', 'format: must be html or json'],
  ])('refuses ?%s', async (asked, message) => {
    const { status, body } = await read(`statement?${asked}`);
    expect([status, body['message']]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('what another product measured', () => {
  const first = START - 20 * DAY;
  const days = { origin: 'imported:uptime-kuma', from: iso(first).slice(0, 10), up: [1_430, 0, 1_440], down: [10, 0, 0] };

  it('stands in reports apart from our own figures, is replaced and removed, and is known as of any instant', async () => {
    const span = `uptime?${query(first, first + 3 * DAY)}`;
    const without = await read(span);
    expect(without.body).not.toHaveProperty('imported');
    const set = await ask('PUT', `/project/${projectId}/imported-uptime`, days);
    expect(set).toMatchObject({ status: 200, body: days });
    expect((await ask('PUT', `/project/${projectId}/imported-uptime`, days)).body).toEqual(set.body);
    const { imported, ...own } = (await read(span)).body;
    expect(own).toEqual(without.body);
    expect(imported).toEqual({
      ...{ origin: 'imported:uptime-kuma', from: iso(first), to: iso(first + 3 * DAY), samples: 2_880 },
      uptime: (2_870 / 2_880) * 100,
    });
    expect((await read(`uptime?${query(START)}`)).body).not.toHaveProperty('imported');
    const { body } = await read(`history?type=UptimeImported`);
    expect(JSON.stringify(body)).toContain('Uptime of 3 days from');
    const { position } = (body as { events: readonly { position: number }[] }).events[0] ?? { position: 0 };
    expect((await ask('DELETE', `/project/${projectId}/imported-uptime`)).status).toBe(200);
    expect((await read('imported-uptime')).body).toMatchObject({ origin: null, up: [], event: null });
    expect((await read(`imported-uptime?asOf=${position}`)).body).toEqual(set.body);
  });

  it.each<[object, string]>([
    [{ origin: 'uptime-kuma' }, 'origin: must be imported: and a kind such as uptime-kuma'],
    [{ from: '2026-02-30' }, 'from: must be a day such as 2026-03-01'],
    [{ down: [1] }, 'down: must have as many days as up'],
    [{ up: [-1, 0, 0] }, 'up: must be a list of 1 to 1830 whole numbers from 0 to 86400'],
    [{ from: iso(START + 30 * DAY).slice(0, 10) }, 'from: the last day must not lie in the future'],
  ])('refuses %j', async (wrong, message) => {
    const { status, body } = await ask('PUT', `/project/${projectId}/imported-uptime`, { ...days, ...wrong });
    expect([status, body['message']]).toEqual([400, message]);
  });
});

/** The statement of a month that is closed: asked at once and again, and after what is recorded later. */
async function issuesStatementsOnce(running: TestService): Promise<void> {
  const [month, other] = [iso(OLD).slice(0, 7), new ApiClient(running.url, token)];
  const path = `/project/${oldProjectId}/statement?month=${month}&format=json`;
  const answers = await Promise.all([1, 2, 3].map(async () => (await other.raw('GET', path)).text));
  expect(answers).toEqual(Array(3).fill(answers[0]));
  const [first = ''] = answers;
  const issued = async () => (await other.get(`/project/${oldProjectId}/history?type=StatementIssued&order=asc`)).body.events as object[];
  const sha256 = createHash('sha256').update(first).digest('hex');
  expect(await issued()).toMatchObject([
    { data: { month, edition: 1, supersedes: null, sha256 }, summary: `Statement of ${month} issued` },
  ]);
  const statement = JSON.parse(first) as SignedStatement;
  expect(statement.figures).toMatchObject([{ downMs: 600_000, upMs: 111 * 60_000 }]);
  expect(statement.days.filter(({ event }) => event !== null)).toHaveLength(1);
  const key = (await other.get('/ledger/key')).text;
  const verified = async (text: string): Promise<number> =>
    verifyStatementText(text, { keys: readKeys(key), policy: null }, {
      result: () => undefined,
      progress: () => undefined,
    } as unknown as CliOutput);
  expect([await verified(first), await verified(first.replace('"downMs":600000', '"downMs":0'))]).toEqual([0, 1]);
  // The file around the data, with the verifier that the build made.
  const page = async (): Promise<string> => (await other.raw('GET', path.replace('json', 'html'))).text;
  const [file, again] = [await page(), await page()];
  expect([again === file, splitFile(file)?.text === first]).toEqual([true, true]);
  const verifier = await readFile(join(import.meta.dirname, '../../../dist/statement-verifier.js'), 'utf8');
  let said = '';
  const output = { result: (_: unknown, words: string) => (said = words) } as unknown as CliOutput;
  expect(await verifyStatementPage(file, { keys: readKeys(key), policy: null }, output, verifier)).toBe(0);
  expect(said).toContain('the verifier in it is ours');
  // A window that is entered afterwards makes a second edition, which names the first.
  await other.send('POST', `/project/${oldProjectId}/maintenance`, { from: iso(OLD), to: iso(OLD + 600_000) });
  const second = (await other.raw('GET', path)).text;
  expect(await issued()).toMatchObject([{}, { data: { edition: 2 }, summary: `Statement of ${month} issued, edition 2` }]);
  const { edition, maintenance } = JSON.parse(second) as SignedStatement;
  expect(edition).toEqual({ number: 2, supersedes: { number: 1, sha256, event: (await issued())[0]?.['id' as never] } });
  expect(maintenance).toMatchObject([{ occurrences: [{ announced: false }] }]);
  expect((await other.raw('GET', path)).text).toBe(second);
}

describe('closing a day', () => {
  if (isRelease)
    it('closes past days after the start and leaves the report unchanged', async () => {
      const paths = [
        `uptime?${query(START - DAY, START + 2 * DAY)}`,
        `uptime?start=${new Date(START).toISOString().replace('.000Z', '+05:30')}&end=${iso(START + DAY)}`,
        `responseTimes?${query(START, START + DAY)}`,
      ];
      const before = await Promise.all(paths.map(read));
      await service.kill();
      const again = await TestService.start({ beside: service, env: { ROLES: 'api,projector,reactor' } });
      try {
        const closed = async (project: string, at: number): Promise<number> =>
          (
            await service.database.pool.query(
              `SELECT 1 FROM log WHERE stream LIKE 'days-${project}-%' AND type = 'UptimeDayClosed' AND data::json ->> 'day' = $1`,
              [new Date(at).toISOString().slice(0, 10)],
            )
          ).rowCount ?? 0;
        const areClosed = async (): Promise<boolean> => (await closed(projectId, START)) > 0 && (await closed(oldProjectId, OLD)) > 0;
        await until(areClosed, 30_000, 'the closed days');
        expect(await closed(projectId, START)).toBe(1);
        const elsewhere = async (path: string): Promise<unknown> =>
          (await fetch(`${again.url}/api/project/${projectId}/${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
        for (const [index, path] of paths.entries()) expect(await elsewhere(path)).toEqual(before[index]?.body);
        await issuesStatementsOnce(again);
      } finally {
        await again.stop();
      }
    });
});
