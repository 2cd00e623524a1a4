import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../../support/api-client.ts';
import { describedEvents } from '../../support/described-events.ts';
import { Demo, DEMO_OWNER, RUN_DEMO } from '../../support/demo.ts';

const DAY = 86_400_000;
const DAYS = 12;

let demo: Demo;
let api: ApiClient;
beforeAll(async () => {
  demo = await Demo.open(DAYS);
  await demo.start();
  api = await new ApiClient(demo.address).signIn(DEMO_OWNER, demo.password);
});
afterAll(() => demo.remove());

const read = async (path: string): Promise<Record<string, unknown>> => (await api.get(path)).body as Record<string, unknown>;
const projectOf = async (title: string): Promise<string> => {
  const { projects } = (await read(`/projects?search=${title}`)) as { projects: readonly { id: string }[] };
  return projects[0]?.id ?? '';
};
interface HistoryEvent {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly recordedAt: string;
}
const eventsOf = async (projectId: string, type: string): Promise<readonly HistoryEvent[]> =>
  ((await read(`/project/${projectId}/history?type=${type}&limit=1000`)) as { events: readonly HistoryEvent[] }).events;

describe('the demo', () => {
  it('has a past that was recorded when it happened, with every day closed', async () => {
    const shop = await projectOf('Alpine');
    const [created] = await eventsOf(shop, 'ProjectCreated');
    const age = Date.now() - Date.parse(created?.recordedAt ?? '');
    expect(age).toBeGreaterThan((DAYS - 1) * DAY);
    expect(created?.recordedAt.slice(0, 19)).toBe(created?.occurredAt.slice(0, 19));
    expect((await eventsOf(shop, 'UptimeDayClosed')).length).toBeGreaterThanOrEqual(DAYS - 1);
    const { body } = await api.get(`/project/${shop}?asOf=${new Date(Date.now() - 3 * DAY).toISOString()}`);
    expect(body).toMatchObject({ title: 'Alpine Shop' });
  });

  it('has outages in its figures, and evidence with the bytes that decided behind a failure', async () => {
    const shop = await projectOf('Alpine');
    expect((await eventsOf(shop, 'UptimeWentDown')).length).toBeGreaterThan(0);
    const from = new Date(Date.now() - 11 * DAY).toISOString();
    expect(JSON.stringify(await read(`/project/${shop}/uptime?start=${from}`))).toMatch(/99\.\d/);
    const [failed] = await eventsOf(shop, 'CheckFailed');
    const { rules } = (await read(`/project/${shop}/history/${failed?.id ?? ''}/evidence`)) as {
      rules: readonly { result: string; bytes: object | null }[];
    };
    expect(rules.some(({ result, bytes }) => result === 'failed' && bytes !== null)).toBe(true);
  });

  it('has a status page with an incident that was resolved, and a site that fails at present', async () => {
    const page = await (await fetch(`${demo.address}/status/alpine`)).text();
    expect(page).toContain('Shop, orders and sign-in do not answer');
    expect(page).toContain('No order was lost.');
    expect(await eventsOf(await projectOf('Blog'), 'CheckFailed')).not.toEqual([]);
  });

  it('has events that fit the JSON Schemas that they name', async () => {
    const { types, problems } = await describedEvents(demo.address, api.token);
    expect(problems).toEqual([]);
    expect(types).toBeGreaterThan(20);
  });

  it('uses what is there when it is started again', async () => {
    const before = await eventsOf(await projectOf('Alpine'), 'ProjectCreated');
    await demo.stop();
    await demo.start();
    expect(demo.printed).not.toContain('is there, after');
    expect(await eventsOf(await projectOf('Alpine'), 'ProjectCreated')).toEqual(before);
  });

  it('touches no folder that contains something else', () => {
    const other = join(demo.folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'precious'), '');
    const { status, stderr } = spawnSync(process.execPath, [RUN_DEMO], { env: { ...demo.env, DEMO_DIR: other }, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('contains something else than a demo')]);
    expect(existsSync(join(other, 'precious'))).toBe(true);
  });
});
