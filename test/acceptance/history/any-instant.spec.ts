import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PackCompactor } from '../../../src/platform/observations/packs/pack-compactor.ts';
import { runKind } from '../../../src/platform/observations/runs/run.codec.ts';
import { sampleKind } from '../../../src/platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../../src/platform/observations/samples/sample.ts';
import { runAt } from '../../support/observations/run.ts';
import { sampleAt } from '../../support/observations/sample.ts';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { TestService } from '../../support/service.ts';

const env = { REGISTRATION: 'open', RATE_LIMIT: '0', ROLES: 'api,projector' };
let service: TestService;
let owner: TestAccount;
let people: TestAccounts;
let api: ApiClient;
let projectId: string;
let areaId: string;

beforeAll(async () => {
  service = await TestService.start({ env });
  people = new TestAccounts(service);
  owner = await people.register('owner');
  api = owner.api;
  projectId = await people.project(owner);
  areaId = (await api.post(`/project/${projectId}/areas`, { name: 'Shop' })).body.id as string;
});
afterAll(() => service.stop());

const head = async (): Promise<string> => (await api.get(`/project/${projectId}/history?limit=1`)).body.events[0].position as string;
const paths = (): readonly string[] =>
  ['', '/areas', '/tests', '/users', '/status', '/simple-status', '/notifications'].map((path) => `/project/${projectId}${path}`);
/** Fields that depend on the clock differ between two reads. */
const timeless = (text: string): string => text.replace(/"(now|nextRun|sslDaysLeft)":-?\d+/g, '"$1":0');

describe('asOf', () => {
  it('answers byte for byte as at that instant, despite later changes', async () => {
    const guest = await people.register('guest');
    const steps: (() => Promise<unknown>)[] = [
      () => api.put(`/project/${projectId}`, { title: 'Renamed', period: '1 hour' }),
      () => api.post(`/project/${projectId}/tests`, { areaId, url: '/a', name: 'A', rules: [{ op: 'sub', val: 'x' }] }),
      () => people.join(projectId, owner, guest, '6'),
      () => api.post(`/project/${projectId}/tests`, { areaId, url: '/b', name: 'B', options: { g: true, w: 'X-A: 1' } }),
      () => api.post(`/project/${projectId}/notifications`, { severity: 3, slack: true }),
      () => api.put(`/area/${areaId}`, { name: 'Store', rules: [{ type: 'status', op: 'eq', val: '200' }] }),
      () => api.put(`/project/${projectId}/users/${String(guest.userId)}`, { role: '5' }),
      async () => {
        const [test] = (await api.get(`/project/${projectId}/tests`)).body as Json[];
        await api.delete(`/test/${test.id as string}`);
      },
      () => api.delete(`/project/${projectId}/users`, { users: [guest.userId] }),
      () => api.put(`/project/${projectId}`, { title: 'Again', delay: 7 }),
    ];
    const remembered: { readonly position: string; readonly path: string; readonly text: string }[] = [];
    for (const step of steps) {
      await step();
      const position = await head();
      for (const path of paths()) remembered.push({ position, path, text: (await api.get(path)).text });
    }
    for (const { position, path, text } of remembered) {
      const answer = await api.get(`${path}?asOf=${position}`);
      expect([path, position, answer.status, timeless(answer.text)]).toEqual([path, position, 200, timeless(text)]);
      expect(answer.headers.get('watchledger-as-of')).toBe(position);
    }
  });

  describe('of what was measured and sent', () => {
    const MINUTE = 60_000;
    const measure = (id: string, samples: readonly Sample[]) => new PackCompactor(service.observations.pool, sampleKind).write(id, samples);
    const measuredHour = (now: number): readonly Sample[] =>
      Array.from({ length: 59 }, (_, minute) => sampleAt(now - (60 - minute) * MINUTE, { outcome: minute % 9 < 2 ? 'down' : 'up' }));
    const answersTo = async (paths: readonly string[], asOf?: string): Promise<readonly (readonly [string, number, string])[]> =>
      Promise.all(
        paths.map(async (path) => {
          const { status, text } = await api.get(asOf === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}asOf=${asOf}`);
          return [path, status, timeless(text)] as const;
        }),
      );
    /** The answers of now and again as of now, after something has changed; they differ from those after the change. */
    const expectSameAfter = async (paths: (at: string) => readonly string[], change: () => Promise<unknown>): Promise<void> => {
      await sleep(5);
      const at = new Date().toISOString();
      const before = await answersTo(paths(at));
      expect(before.map(([, status]) => status)).toEqual(before.map(() => 200));
      // When an observation was recorded is known to a tenth of a second.
      await sleep(110);
      await change();
      expect(await answersTo(paths(at), at)).toEqual(before);
      const now = await answersTo(paths(at));
      expect(now.flatMap(([path, , text], index) => (text === before[index]?.[2] ? [path] : []))).toEqual([]);
    };

    it('answers reports, pictures and maintenance as at that instant', async () => {
      const id = await people.project(owner);
      await api.put(`/project/${id}`, { uptimeEnabled: '60' });
      const { body: window } = await api.post(`/project/${id}/maintenance`, { from: '2099-01-01T00:00:00Z', to: '2099-01-01T01:00:00Z' });
      const now = Date.now();
      // The last failure is not confirmed yet.
      await measure(id, [...measuredHour(now), sampleAt(now - 10_000, { outcome: 'down' })]);
      const span = (at: string) => `start=${new Date(now - 90 * MINUTE).toISOString()}&end=${at}`;
      await expectSameAfter(
        (at) => [
          `/project/${id}/uptime?${span(at)}&excludeMaintenance=true`,
          `/project/${id}/uptime?${span(at)}`,
          `/project/${id}/responseTimes?${span(at)}&resolution=raw`,
          `/project/${id}/responseTimes?${span(at)}&resolution=1000`,
          `/project/${id}/uptime.svg?${span(at)}`,
          `/project/${id}/responseTimes.svg?${span(at)}`,
          `/project/${id}/maintenance`,
        ],
        async () => {
          await api.put(`/project/${id}`, { uptimeEnabled: false, title: 'Renamed since' });
          const [from, to] = [now - 50 * MINUTE, now - 20 * MINUTE].map((at) => new Date(at).toISOString());
          await api.post(`/project/${id}/maintenance`, { from, to, note: 'entered afterwards' });
          await api.delete(`/project/${id}/maintenance/${window.id as string}`);
          // Recorded later: one that confirms the failure, and one that had been delayed.
          const at = Date.now();
          const delayed = { ...sampleAt(now - 75_000, { waiting: 900, total: 907 }), recordedAt: at };
          await measure(id, [delayed, sampleAt(at, { outcome: 'down' })]);
        },
      );
    });

    it('ends a report without an end at that instant', async () => {
      const asOf = new Date().toISOString();
      const { body, headers } = await api.get(`/project/${projectId}/uptime?start=2026-01-01T00:00:00Z&asOf=${asOf}`);
      expect(Date.parse(body.to as string)).toBe(Date.parse(asOf));
      expect(headers.get('watchledger-as-of')).toMatch(/^\d+$/);
      const long = await api.get(`/project/${projectId}/uptime?start=2026-01-01T00:00:00Z&asOf=2020-01-01T00:00:00Z`);
      expect(long.status).toBe(403);
    });

    it('answers the results of a test as at that instant', async () => {
      const { body: test } = await api.post(`/project/${projectId}/tests`, { areaId, url: '/measured', name: 'Before' });
      const now = Date.now();
      const checkId = test.id as string;
      const run = (secondsAgo: number, changes = {}) => runAt(now - secondsAgo * 1000, { checkId, ...changes });
      const made = (...runs: ReturnType<typeof run>[]) => new PackCompactor(service.observations.pool, runKind).write(projectId, runs);
      await made(run(300), run(200, { outcome: 'error', failures: ['was wrong'] }), run(100));
      await expectSameAfter(
        () => [`/test/${checkId}/results`, `/tests/${checkId}/results?limit=2`],
        async () => {
          await api.put(`/test/${checkId}`, { name: 'After' });
          // Delayed: it confirms a failure of before, which was not confirmed then.
          await made(
            { ...run(190, { outcome: 'error', failures: ['was wrong'] }), recordedAt: Date.now() },
            runAt(Date.now(), { checkId }),
          );
        },
      );
    });

    it('answers the deliveries of the caller as at that instant', async () => {
      const { pool } = service.database;
      const [first, second] = [randomUUID(), randomUUID()];
      const add = (id: string) =>
        pool.query(
          `INSERT INTO notification_message (id, project_id, user_id, channel, kind, seq, created_at, next_try, give_up_at)
           VALUES ($1, $2, $3, 'slack', 'problem', 1, $4, $4, $4)`,
          [id, projectId, owner.userId, new Date()],
        );
      const change = (id: string, state: string, attempts: number) =>
        pool.query(`UPDATE notification_message SET state = $2, attempts = $3, last_answer = $2, finished_at = now() WHERE id = $1`, [
          ...[id, state, attempts],
        ]);
      await add(first);
      await change(first, 'failed', 2);
      await expectSameAfter(
        () => ['/account/deliveries', '/account/deliveries?status=failed&limit=1', '/account/deliveries?fields=status,attempts'],
        async () => {
          await change(first, 'due', 2);
          await change(first, 'delivered', 3);
          await add(second);
        },
      );
    });

    it('answers the projects of the caller as at that instant, with the rights of today', async () => {
      const [one, two] = [await people.register('lister'), await people.register('member')];
      await people.administer(one, { plan: 'unlimited' });
      const ids = [await people.project(one), await people.project(one), await people.project(one)];
      await one.api.put(`/project/${ids[0]!}`, { title: 'Zebra' });
      await people.join(ids[1]!, one, two, '4');
      api = one.api;
      const lists = [
        '',
        '?limit=2',
        '?sort=title',
        '?sort=-title&limit=2',
        '?sort=created&limit=3',
        '?search=zebra',
        '?fields=title,userIds',
      ];
      await expectSameAfter(
        () => lists.map((query) => `/projects${query}`),
        async () => {
          await one.api.put(`/project/${ids[0]!}`, { title: 'Antelope' });
          await one.api.put(`/project/${ids[1]!}`, { title: 'Zebra, too' });
          await people.project(one);
        },
      ).finally(() => (api = owner.api));
      const at = new Date().toISOString();
      const ofMember = () => two.api.get(`/projects?asOf=${at}`);
      expect((await ofMember()).body.projects).toMatchObject([{ id: ids[1], apiKey: expect.stringMatching(/./) }]);
      await one.api.put(`/project/${ids[1]!}/users/${String(two.userId)}`, { role: '6' });
      expect((await ofMember()).body.projects).toMatchObject([{ id: ids[1], apiKey: '' }]);
      await one.api.delete(`/project/${ids[1]!}/users`, { users: [two.userId] });
      expect((await ofMember()).body.projects).toEqual([]);
      await people.join(ids[2]!, one, two, '4');
      expect((await ofMember()).body.projects).toEqual([]);
      const pages: Json[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await one.api.get(`/projects?limit=1&sort=title&asOf=${at}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        pages.push(...(body.projects as Json[]));
        cursor = body.nextCursor as string | null;
      }
      expect(pages.map(({ title }) => title).slice(-1)).toEqual(['Zebra, too']);
      expect(pages).toHaveLength(4);
    });

    it.each(['/projects', '/account/deliveries'])('refuses an unreadable asOf of %s', async (path) => {
      expect((await api.get(`${path}?asOf=tomorrow`)).status).toBe(400);
      expect((await api.get(`${path}?asOf=2999-01-01T00:00:00Z`)).status).toBe(400);
    });
  });

  it('accepts a time as well as a position', async () => {
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await api.put(`/project/${projectId}`, { title: 'Later' });
    expect((await api.get(`/project/${projectId}?asOf=${before}`)).body.title).not.toBe('Later');
    expect((await api.get(`/project/${projectId}`)).body.title).toBe('Later');
  });

  it('accepts the position or time of an event and includes that event', async () => {
    await api.put(`/project/${projectId}`, { title: 'To the microsecond' });
    const [event] = (await api.get(`/project/${projectId}/history?limit=1`)).body.events as Json[];
    const { recordedAt, position, id } = event as { recordedAt: string; position: string; id: string };
    const before = String(Number(position) - 1);
    const asked = await api.get(`/project/${projectId}?asOf=${recordedAt}`);
    expect([asked.body.title, asked.headers.get('watchledger-as-of')]).toEqual(['To the microsecond', position]);
    const { body: compared } = await api.get(`/project/${projectId}/compare?from=${before}&to=${recordedAt}`);
    expect(compared.changes).toContainEqual(expect.objectContaining({ path: 'project.title', events: [id] }));
    const history = (span: string) => api.get(`/project/${projectId}/history?order=asc&${span}`);
    expect((await history(`from=${recordedAt}&to=${recordedAt}`)).body.events.map((one: Json) => one.id)).toEqual([id]);
    const { text: exported } = await api.get(`/project/${projectId}/history/export?from=${recordedAt}&to=${recordedAt}`);
    expect(
      exported
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line).index),
    ).toEqual([Number(position)]);
  });

  it('shows a test that was deleted later', async () => {
    const { body } = await api.post(`/project/${projectId}/tests`, { areaId, url: '/deleted', name: 'Deleted' });
    const position = await head();
    await api.delete(`/test/${body.id as string}`);
    expect((await api.get(`/test/${body.id as string}`)).status).toBe(403);
    expect((await api.get(`/test/${body.id as string}?asOf=${position}`)).body).toMatchObject({ id: body.id, name: 'Deleted' });
  });

  it('answers as for an unknown project before the project existed', async () => {
    expect((await api.get(`/project/${projectId}?asOf=0`)).status).toBe(404);
    expect((await api.get(`/project/${projectId}/tests?asOf=0`)).status).toBe(403);
    expect((await api.get(`/project/${projectId}?asOf=0001-01-01T00:00:00Z`)).status).toBe(404);
  });

  it.each(['tomorrow', '2999-01-01T00:00:00Z', '999999999', '2026-01-01', '-1', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00'])(
    'refuses %s',
    async (asOf) => {
      expect((await api.get(`/project/${projectId}?asOf=${asOf}`)).status).toBe(400);
    },
  );

  it('checks the present rights of the caller', async () => {
    const stranger = await people.register('stranger');
    expect((await stranger.api.get(`/project/${projectId}?asOf=${await head()}`)).status).toBe(403);
  });
});
