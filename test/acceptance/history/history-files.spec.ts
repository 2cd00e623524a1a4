import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { type TestAccount, TestAccounts } from '../../support/test-accounts.ts';
import { isRelease } from '../../support/thorough.ts';

/** More than the buffers of a connection take. */
const EVENTS = 5_000;

let service: TestService;
let people: TestAccounts;
let owner: TestAccount;
let guest: TestAccount;
let projectId: string;

const APPEND = `DO $$ DECLARE revision bigint; BEGIN
  SELECT max(l.revision) INTO revision FROM log l WHERE l.stream = 'project-PROJECT';
  FOR at IN 1..${String(EVENTS)} LOOP
    PERFORM append_one('project-PROJECT', revision + at - 1, gen_random_uuid(), 'ProjectRenamed', 1::smallint, 'project-PROJECT',
      json_build_object('to', repeat('x', 1000) || at)::text,
      json_build_object('actor', json_build_object('kind', 'user', 'id', '1'), 'correlationId', 'c', 'causationId', null, 'commandId', 'c-' || at,
        'occurredAt', '2026-11-22T15:46:39.375Z')::text);
  END LOOP;
END $$`;

beforeAll(async () => {
  service = await sharedService();
  people = new TestAccounts(service);
  [owner, guest] = [await people.register('owner'), await people.register('guest')];
  projectId = await people.project(owner);
  await people.join(projectId, owner, guest, '6');
  await service.database.pool.query(APPEND.replaceAll('PROJECT', projectId));
  // Its ring shows the service what the statement has appended.
  await owner.api.put(`/project/${projectId}`, { title: 'Shop' });
});
afterAll(() => people.deleteProjects());

const opened: ClientRequest[] = [];
afterEach(() => {
  for (const request of opened.splice(0)) request.destroy();
});

/** Resolves with the head of the answer; nothing of its body is read yet. */
const open = ({ api }: TestAccount, path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${String(api.token)}` };
    const url = `${service.url}/api/project/${projectId}/${path}`;
    opened.push(get(url, { headers, agent: false }, resolve).on('error', reject));
  });

async function lines(answer: IncomingMessage): Promise<number> {
  let found = 0;
  for await (const chunk of answer) found += (chunk as Buffer).toString('latin1').split('\n').length - 1;
  return found;
}

const waitsFor = (answer: Promise<IncomingMessage>, milliseconds: number): Promise<string> =>
  Promise.race([answer.then(() => 'answered'), sleep(milliseconds, 'waits')]);

describe.each(['history/export', 'history?format=csv', 'history?format=ndjson'])('GET /project/{id}/%s', (path) => {
  it('writes two files of an account at a time, and the next once a client has left', async () => {
    const [first, second] = await Promise.all([open(owner, path), open(owner, path)]);
    const third = open(owner, path);
    expect([first.statusCode, second.statusCode, await waitsFor(third, 700)]).toEqual([200, 200, 'waits']);
    expect(await lines(await open(guest, path))).toBeGreaterThan(EVENTS);
    first.destroy();
    expect(await waitsFor(third, 10_000)).toBe('answered');
    const fourth = open(owner, path);
    expect(await waitsFor(fourth, 300)).toBe('waits');
    // Read to its end, it makes room, too.
    expect(await lines(second)).toBeGreaterThan(EVENTS);
    expect((await fourth).statusCode).toBe(200);
  });
});

/** 2.5 s when every export read its history as fast as it could, 40 to 120 ms now. */
const MOST_MS = 1_000;

if (isRelease)
  it('leaves a neighbour undisturbed while ten exports of five thousand events are read at once', async () => {
    const neighbour = await people.register('neighbour');
    let isOver = false;
    const exported = Promise.all(Array.from({ length: 10 }, async () => lines(await open(owner, 'history/export')))).finally(
      () => (isOver = true),
    );
    const times: number[] = [];
    while (!isOver) {
      const from = performance.now();
      expect((await neighbour.api.get('/projects')).status).toBe(200);
      times.push(performance.now() - from);
    }
    expect(Math.min(...(await exported))).toBeGreaterThan(EVENTS);
    expect(times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)]).toBeLessThan(MOST_MS);
  });
