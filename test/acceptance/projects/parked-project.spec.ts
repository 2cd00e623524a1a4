import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiClient, type Json } from '../../support/api-client.ts';
import { breakProject } from '../../support/broken-project.ts';
import { onEmbedded } from '../../support/embedded-engine.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { startHttp, type Site } from '../../support/servers/site.ts';
import { until } from '../../support/until.ts';

const PATIENCE_MS = 30_000;
const eventId = randomUUID();

let first: TestService;
let service: TestService;
let site: Site;
let api: ApiClient;
let stuck: string;
let well: string;

async function project(): Promise<string> {
  // Unwatched: a verdict about a parked project would count as a dead letter.
  const settings = { url: site.url, checkInterval: 'false', uptimeEnabled: false };
  const { id } = (await api.post('/project/create', settings)).body as { id: string };
  await api.post(`/project/${id}/tests`, { url: '/', rules: [{ type: 'status', op: 'eq', val: '200' }] });
  return id;
}

const job = async (projectId: string): Promise<Json> => {
  const { jobId } = (await api.get(`/project/${projectId}/start?keep-alive=true`)).body as { jobId: string };
  return (await api.get(`/project/${projectId}/job/${jobId}/results`)).body;
};

beforeAll(async () => {
  site = await startHttp((_, response) => response.end('hello'));
  const env = { ALLOW_TARGETS: '127.0.0.0/8', RATE_LIMIT: '0' };
  first = await TestService.start({ env });
  api = await new ApiClient(first.url).signIn(ADMIN.email, ADMIN.password);
  [stuck, well] = [await project(), await project()];
  await breakProject(first.database.pool, stuck, eventId);
  await until(async () => (await api.get(`/project/${stuck}`)).status === 503, PATIENCE_MS, 'the project is parked');
  await first.kill();
  service = await TestService.start({ beside: first, env });
  api = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
});
afterAll(async () => {
  await service.stop();
  await first.stop();
  await site.close();
});

/** Inserts the broken event into the log table, which is the event store only without a KurrentDB server. */
onEmbedded('a service that starts while a project cannot be read', () => {
  it('starts and checks all other projects', async () => {
    expect((await api.get(`/project/${stuck}`)).status).toBe(503);
    expect((await api.get(`/project/${well}`)).status).toBe(200);
    expect(await job(well)).toMatchObject({ processed: true, total: 1, failed: 0 });
  });

  it('lists all other projects and names the parked one', async () => {
    const lists = async (query: string): Promise<readonly string[]> => {
      const shown: string[] = [];
      for (let cursor: unknown = ''; typeof cursor === 'string';) {
        const { status, body } = await api.get(`/projects?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        expect(status).toBe(200);
        for (const { id } of body.projects as readonly Json[]) shown.push(`shown ${id as string}`);
        for (const { id, message } of (body.unreadable ?? []) as readonly Json[]) shown.push(`${id as string}: ${message as string}`);
        cursor = body.nextCursor;
      }
      return shown.toSorted();
    };
    const named = `${stuck}: project ${stuck} cannot be read at the moment: one of its events could not be applied and waits for an operator`;
    for (const query of ['', 'limit=1', 'status=ok']) expect(await lists(query)).toEqual([named, `shown ${well}`].toSorted());
    expect(await lists('status=unknown')).toEqual([named]);
  });

  it('leaves its line out of a screen of the overview', async () => {
    const { status, body } = await api.get(`/projects/figures?ids=${stuck},${well}`);
    expect([status, (body.figures as readonly Json[]).map(({ id }) => id)]).toEqual([200, [well]]);
  });

  it('shows the parked event, and checks the project once the event is skipped', async () => {
    const { parked } = (await api.get('/ops/projections/project/parked')).body as { parked: readonly Json[] };
    expect(parked).toMatchObject([{ key: stuck, eventId, deadLetters: 0 }]);
    const skipped = await api.post(`/ops/projections/project/parked/${eventId}/skip`, { reason: 'written by a bug' });
    expect(skipped.status).toBe(200);
    await until(async () => (await api.get(`/project/${stuck}`)).status === 200, PATIENCE_MS, 'the project can be read again');
    expect(await job(stuck)).toMatchObject({ processed: true, total: 1, failed: 0 });
    const { body } = await api.get('/projects');
    expect([body.projects.length, body.unreadable]).toEqual([2, undefined]);
  });
});
