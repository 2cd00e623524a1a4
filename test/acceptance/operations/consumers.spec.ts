import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Json } from '../../support/api-client.ts';
import { breakProject } from '../../support/broken-project.ts';
import { type Ran, watchledger } from '../../support/command-line.ts';
import { onEmbedded } from '../../support/embedded-engine.ts';
import { CONFIRMED_WITHIN, NotifiedProject } from '../../support/notified-project.ts';
import { PASSWORD, TestAccounts } from '../../support/test-accounts.ts';
import { until } from '../../support/until.ts';

const PATIENCE_MS = 20_000;

let notified: NotifiedProject;
let people: TestAccounts;
let api: ApiClient;

beforeAll(async () => {
  notified = await NotifiedProject.start();
  ({ api } = notified);
  people = new TestAccounts(notified.service);
  expect((await api.put('/account/channels/webhook', { url: notified.receivers.hook.url })).status).toBe(200);
  expect((await api.post(`/project/${notified.projectId}/notifications`, { webhook: true })).status).toBe(200);
});
afterAll(() => notified.stop());

const consumers = async (): Promise<readonly Json[]> => (await api.get('/ops/consumers')).body.consumers;
const stateOf = async (name: string): Promise<Json> => (await consumers()).find((one) => one.name === name);
const parked = async (): Promise<readonly Json[]> => (await api.get('/ops/consumers/alerts/parked')).body.parked;
const command = async (...args: readonly string[]): Promise<Ran> =>
  watchledger({ DATABASE_URL: notified.service.database.url, MASTER_KEY: notified.service.masterKey }, 'consumers', ...args).ran;
const metrics = async (): Promise<string> => (await fetch(`${notified.service.url}/metrics`)).text();

describe('the consumers of the log', () => {
  it('are listed with what they do and how far they have come', async () => {
    await until(async () => (await consumers()).length === 3, PATIENCE_MS, 'the consumers of the service');
    expect((await consumers()).map(({ name, about, package: from, state }) => [name, about, from, state])).toEqual([
      ['alerts', 'alerts and notices to people', null, 'live'],
      ['status-drafts', 'drafts of incidents on status pages', null, 'live'],
      ['status-notices', 'messages to subscribers of status pages', null, 'live'],
    ]);
    await until(async () => (await stateOf('alerts')).gap === 0, PATIENCE_MS, 'no gap');
    const listed = await command('list');
    expect([listed.status, listed.err]).toEqual([0, '']);
    expect(listed.out).toMatch(/^alerts +live +at \d+ of \d+ +gap \d+ +lag \d+\.\d s +alerts and notices to people$/m);
  });

  it('are read by system roles and changed by administrators only', async () => {
    const auditor = await people.register('auditor');
    expect((await auditor.api.get('/ops/consumers')).status).toBe(403);
    await people.administer(auditor, { systemRole: 'auditor' });
    const reader = await people.anonymous.signIn(auditor.email, PASSWORD);
    expect((await reader.get('/ops/consumers')).status).toBe(200);
    expect((await reader.get('/ops/consumers/alerts/parked')).status).toBe(200);
    for (const path of ['pause', 'resume', `parked/${randomUUID()}/skip`])
      expect((await reader.post(`/ops/consumers/alerts/${path}`)).status).toBe(403);
  });

  it('refuse what cannot be done', async () => {
    expect((await api.post('/ops/consumers/other/pause')).body).toMatchObject({ code: 404, errorCode: 'NO_SUCH_CONSUMER' });
    expect((await api.get('/ops/consumers/other/parked')).body).toMatchObject({ code: 404, errorCode: 'NO_SUCH_CONSUMER' });
    expect((await api.delete('/ops/consumers/alerts')).body).toMatchObject({ code: 409, errorCode: 'CONSUMER_RUNS' });
    const unknown = await api.post(`/ops/consumers/alerts/parked/${randomUUID()}/retry`);
    expect(unknown.body).toMatchObject({ code: 404, errorCode: 'NOTHING_PARKED' });
    expect((await command('pause', 'other')).err).toContain('the consumer other does not exist');
  });

  it('pause: no alert goes out, the service stays ready and says so, and what waited is sent afterwards', async () => {
    await notified.run();
    expect((await api.post('/ops/consumers/alerts/pause')).status).toBe(200);
    expect(await stateOf('alerts')).toMatchObject({ state: 'paused' });
    await until(async () => (await metrics()).includes('watchledger_consumer_state{consumer="alerts",state="paused"} 1'), PATIENCE_MS);
    expect((await fetch(`${notified.service.url}/health/ready`)).status).toBe(200);
    notified.broken = true;
    await notified.run();
    const failures = async (): Promise<number> =>
      (await api.get(`/project/${notified.projectId}/history?type=CheckFailed`)).body.events.length;
    await until(async () => (await failures()) === 1, CONFIRMED_WITHIN, 'a confirmed failure');
    expect((await stateOf('alerts')).gap).toBeGreaterThan(0);
    expect(notified.messages('problem')).toEqual([]);
    const resumed = await command('resume', 'alerts');
    expect([resumed.status, resumed.out]).toEqual([0, 'alerts will resume.\n']);
    await until(() => Promise.resolve(notified.messages('problem').length === 1), PATIENCE_MS, 'the alert');
    expect(await stateOf('alerts')).toMatchObject({ state: 'live' });
  });
});

/** Inserts the broken event into the log table, which is the event store only without a KurrentDB server. */
onEmbedded('an event that a consumer cannot handle', () => {
  it('parks its project, is listed with its cause and next attempt, and is skipped', async () => {
    const eventId = randomUUID();
    const projectId = await people.project(notified.owner);
    await breakProject(notified.service.database.pool, projectId, eventId, 'CheckFailed');
    await until(async () => (await parked()).length === 1, PATIENCE_MS, 'a parked project');
    expect(await parked()).toMatchObject([
      {
        scope: `project-${projectId}`,
        eventId,
        type: 'CheckFailed',
        error: expect.stringContaining('cannot be read'),
        retryAt: expect.any(String),
      },
    ]);
    expect(await stateOf('alerts')).toMatchObject({ state: 'live', parked: 1 });
    expect((await command('parked', 'alerts')).out).toContain(`${eventId}  at `);
    expect((await command('retry', 'alerts', eventId)).out).toBe(`alerts tries ${eventId} again.\n`);
    expect((await api.post(`/ops/consumers/alerts/parked/${eventId}/skip`)).status).toBe(200);
    await until(async () => (await parked()).length === 0, PATIENCE_MS, 'nothing parked');
  });
});
