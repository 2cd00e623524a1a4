import { createHmac, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { DestinationWorld, OTHER_PROJECT, PROJECT, type ReceivedBatch, SECRET } from '../../../test/support/destination-world.ts';
import { serviceNumber } from '../../accounts/rights/roles.ts';
import { projectStream } from '../../kernel/stream-names.ts';

let database: TestDatabase;
let world: DestinationWorld;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await DestinationWorld.open(database.pool);
});
afterEach(() => world.close());

const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (_: unknown, response: ServerResponse): void =>
    void response.writeHead(status, headers).end();

/** As a receiver does it who has read the page about signatures. */
function isSigned({ request: { headers, body } }: ReceivedBatch): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const signature = createHmac('sha256', Buffer.from(SECRET.replace('whsec_', ''), 'base64'))
    .update(signed)
    .digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
}

const rowOf = async (destinationId: string, projectId = PROJECT) => (await world.positions.get(destinationId, projectStream(projectId)))!;

describe('pushing events to a destination', () => {
  it('sends signed batches of at most 100 CloudEvents in the order of the log, each with the position before it', async () => {
    const id = await world.add();
    await world.fail(230);
    await world.append('CheckFailed', {}, OTHER_PROJECT);
    await world.push();
    const batches = world.batches();
    expect(batches.map(({ events }) => events.length)).toEqual([100, 100, 31]);
    expect(world.received()).toEqual(world.logged().slice(1));
    expect(batches.every(isSigned)).toBe(true);
    expect(batches[0]?.request.headers['content-type']).toBe('application/cloudevents-batch+json; charset=utf-8');
    let previous = batches[0]?.data.previous;
    for (const { data, events } of batches) {
      expect(data).toMatchObject({ destination: id, scope: projectStream(PROJECT), replay: null, previous, events: events.length });
      expect(data.position).toBe(events.at(-1)?.position);
      previous = data.position;
    }
    expect(world.batches()[0]?.request.body).not.toMatch(/whsec|sealed/);
  });

  it('sends only events of the types of its filter', async () => {
    await world.add({ filter: { types: ['CheckRecovered'], scopes: null } });
    await world.fail(3);
    await world.append('CheckRecovered', {});
    await world.push();
    expect(world.batches().flatMap(({ events }) => events.map(({ type }) => type))).toEqual(['watchledger.CheckRecovered.v1']);
  });

  it('begins where it was asked to', async () => {
    await world.fail(2);
    await world.add({ after: -1 });
    await world.push();
    expect(world.received()).toEqual(world.logged());
  });

  it('retries a batch with back-off under the same id and with the same events, before later ones', async () => {
    world.receiver.answer = answering(500);
    await world.add();
    await world.fail(2);
    await world.push();
    await world.fail(1);
    await world.advance(4);
    expect(world.batches()).toHaveLength(1);
    await world.advance(2);
    await world.advance(11);
    expect(world.batches()).toHaveLength(3);
    world.receiver.answer = answering(200);
    await world.advance(21);
    const [first, second, third, fourth, fifth] = world.batches();
    expect([second, third, fourth].map((batch) => [batch?.request.headers['webhook-id'], batch?.data])).toEqual(
      [1, 2, 3].map(() => [first?.request.headers['webhook-id'], first?.data]),
    );
    expect(fifth?.data.previous).toBe(first?.data.position);
    expect(world.received()).toEqual(world.logged().slice(1));
  });

  it('honours Retry-After, and starts at once again after its end', async () => {
    world.receiver.answer = answering(429, { 'retry-after': '300' });
    await world.add();
    await world.push();
    await world.advance(299);
    expect(world.batches()).toHaveLength(1);
    world.receiver.answer = answering(200);
    await world.advance(2);
    expect(world.received()).toEqual(world.logged().slice(1));
  });

  it.each([
    ['a redirect, which it does not follow', answering(302, { location: 'http://127.0.0.1:9/' }), 'redirects are not followed'],
    ['a refusal', answering(404), 'answered 404'],
    ['an answer that does not come in time', () => undefined, 'no answer within 1 s'],
  ] as const)('retries after %s', async (_, answer, reason) => {
    world.receiver.answer = answer;
    const id = await world.add();
    await world.push();
    expect((await rowOf(id)).lastAnswer).toContain(reason);
    world.receiver.answer = answering(200);
    await world.advance(6);
    expect(world.received()).toEqual(world.logged().slice(1));
  });

  it('connects to no address that is not public', async () => {
    await world.close();
    world = await DestinationWorld.open(database.pool, []);
    const id = await world.add();
    await world.push();
    expect(world.receiver.received).toEqual([]);
    expect((await rowOf(id)).lastAnswer).toContain('is not a public address');
  });

  it('asks a receiver that answers 503 for an hour a few times, and then sends everything in order', async () => {
    world.receiver.answer = answering(503);
    const id = await world.add();
    for (let minute = 0; minute < 60; minute++) {
      await world.fail(2);
      await world.advance(60);
    }
    expect(world.batches().length).toBeGreaterThan(5);
    expect(world.batches().length).toBeLessThan(15);
    expect(await rowOf(id)).toMatchObject({ parkedAt: null, lastAnswer: 'answered 503' });
    world.receiver.answer = answering(200);
    await world.advance(900);
    expect(world.received()).toEqual(world.logged().slice(1));
  });

  it('repeats under the same id what a receiver takes but answers too late, and holds up no other destination', async () => {
    const late: ServerResponse[] = [];
    world.receiver.answer = ({ path }, response) => {
      if (path === '/late' && late.push(response) === 1) setTimeout(() => response.end(), 1_500);
      else response.end();
    };
    await world.add({}, PROJECT, '/late');
    await world.add();
    await world.fail(3);
    await world.push();
    expect(world.received()).toContain(world.store.events.length - 1);
    await world.advance(6);
    const [first, again] = world.batches('/late');
    expect([again?.request.headers['webhook-id'], again?.data]).toEqual([first?.request.headers['webhook-id'], first?.data]);
    await world.fail(1);
    await world.push();
    expect(world.batches('/late')).toHaveLength(3);
  });

  it('parks after 72 hours, keeps the position, and tries again when it is resumed', async () => {
    world.receiver.answer = answering(503);
    const id = await world.add();
    await world.fail(1);
    await world.push();
    for (let quarter = 0; quarter < 4 * 71; quarter++) await world.advance(900);
    expect((await rowOf(id)).parkedAt).toBeNull();
    // Quarters of an hour are longer than the first waits, which moves the deadline a little.
    for (let quarter = 0; quarter < 16; quarter++) await world.advance(900);
    expect(await rowOf(id)).toMatchObject({ parkedAt: expect.any(Date), lastAnswer: 'answered 503' });
    const tries = world.batches().length;
    await world.restart();
    await world.advance(86_400);
    expect(world.batches()).toHaveLength(tries);
    world.receiver.answer = answering(200);
    await world.append('DestinationResumed', { destinationId: id, by: 1 });
    await world.push();
    expect(world.received()).toEqual(world.logged().slice(1));
    expect(await rowOf(id)).toMatchObject({ parkedAt: null, attempts: 0 });
  });

  it('does not count the time in which it could not try', async () => {
    world.receiver.answer = answering(503);
    const id = await world.add();
    await world.push();
    world.now += 80 * 3_600_000;
    await world.restart();
    await world.push();
    expect(await rowOf(id)).toMatchObject({ parkedAt: null, attempts: 2 });
  });

  it('is paused by 410, and continues where it stopped when it is resumed', async () => {
    world.receiver.answer = answering(410);
    const id = await world.add();
    await world.push();
    expect(world.store.events.at(-1)).toMatchObject({ type: 'DestinationPaused', data: { reason: 'receiver gone' } });
    world.receiver.answer = answering(200);
    await world.fail(2);
    await world.advance(3600);
    expect(world.batches()).toHaveLength(1);
    await world.restart();
    await world.append('DestinationResumed', { destinationId: id, by: 1 });
    await world.push();
    expect(world.received()).toEqual(world.logged().slice(1));
  });

  it('is paused when the member who is responsible for it may not edit the project any more', async () => {
    await world.append('MemberAdded', { userId: 2, role: '4' });
    await world.add({ by: 2 });
    await world.push();
    const before = world.received();
    await world.append('MemberRoleChanged', { userId: 2, from: '4', to: '5' });
    await world.advance(2);
    expect(world.received()).toEqual(before);
    expect(world.store.events.at(-1)).toMatchObject({ type: 'DestinationPaused', data: { reason: 'right lost' } });
  });

  it('is paused when the service account that is responsible for it is deleted, or may not edit any more', async () => {
    for (const projectId of [PROJECT, null]) {
      const serviceAccountId = randomBytes(12).toString('hex');
      const by = serviceNumber(serviceAccountId);
      const [role, less] = projectId === null ? (['admin', 'auditor'] as const) : (['4', '5'] as const);
      await world.append('ServiceAccountCreated', { serviceAccountId, role }, projectId);
      await world.add({ by }, projectId);
      await world.push();
      const isPaused = () =>
        world.store.events.some(
          ({ type, scope }) => type === 'DestinationPaused' && scope.startsWith(projectId === null ? 'system' : 'project'),
        );
      expect(isPaused()).toBe(false);
      if (projectId === null) await world.append('ServiceAccountDeleted', { serviceAccountId }, projectId);
      else await world.append('ServiceAccountRoleChanged', { serviceAccountId, from: role, to: less }, projectId);
      await world.fail(1);
      await world.advance(2);
      expect(isPaused()).toBe(true);
    }
  });

  it('pushes again from a position, once, also when it was asked while nothing was pushed', async () => {
    const id = await world.add();
    await world.fail(3);
    await world.push();
    const all = world.logged().slice(1);
    await world.append('DestinationReplayed', { destinationId: id, after: all[1] ?? 0, scope: null, by: 1 });
    await world.restart();
    await world.push();
    const replayed = world.batches().at(-1);
    expect(replayed?.events.map(({ position }) => Number(position))).toEqual([...all.slice(2), world.store.events.length - 1]);
    expect(replayed?.data).toMatchObject({ previous: String(all[1]), replay: String(world.store.events.length - 1) });
    const count = world.batches().length;
    await world.restart();
    await world.push();
    expect(world.batches()).toHaveLength(count);
  });

  it('ends with its project and when it is removed, with everything that is stored of it', async () => {
    const [id, other] = [await world.add(), await world.add()];
    await world.push();
    await world.append('DestinationRemoved', { destinationId: id });
    await world.push();
    expect(await world.positions.get(id, projectStream(PROJECT))).toBeNull();
    await world.append('ProjectDeleted', {});
    await world.push();
    expect(await world.positions.get(other, projectStream(PROJECT))).toBeNull();
  });

  it('does not wait for a receiver that does not answer', async () => {
    const held: ServerResponse[] = [];
    world.receiver.answer = ({ path }, response) => {
      if (path === '/slow') held.push(response);
      else response.end();
    };
    await world.add({}, PROJECT, '/slow');
    await world.add();
    await world.fail(150);
    const after = world.store.events.length - 1;
    expect(await world.start()).toBe(2);
    while (world.received().at(-1) !== after) await new Promise((resolve) => setTimeout(resolve, 5)).then(() => world.start());
    expect(world.batches('/slow')).toHaveLength(1);
    for (const response of held) response.end();
    await world.drain();
  });

  it('stays below the end of a log that lost its latest events', async () => {
    const id = await world.add();
    await world.push();
    await database.pool.query('UPDATE destination_partition SET position = 5000 WHERE destination_id = $1', [id]);
    await world.restart();
    await world.fail(1);
    await world.push();
    expect(world.received()).toContain(world.store.events.length - 1);
  });
});

describe('a crash of the pusher', () => {
  it('loses no event and changes no order, wherever it comes', async () => {
    await world.add();
    await world.push();
    let crashes = 0;
    for (const how of ['before', 'after'] as const)
      for (let step = 1; ; step++) {
        await world.fail(120);
        world.crashable.killAt(step, how);
        await world.push().catch(() => undefined);
        await world.drain().catch(() => undefined);
        const isDead = world.crashable.isDead;
        await world.restart();
        await world.push();
        expect(world.received()).toEqual(world.logged().slice(1));
        if (!isDead) break;
        crashes++;
      }
    expect(crashes).toBeGreaterThan(10);
    const ids = new Map<string, string>();
    for (const { request, data } of world.batches()) {
      const known = ids.get(String(request.headers['webhook-id']));
      expect(known ?? JSON.stringify(data)).toBe(JSON.stringify(data));
      ids.set(String(request.headers['webhook-id']), JSON.stringify(data));
    }
  });
});

describe('a destination of the installation', () => {
  const refuseProject =
    (projectId: string) =>
    ({ body }: { readonly body: string }, response: ServerResponse): void =>
      void response.writeHead(body.includes(`"scope":"${projectStream(projectId)}"`) ? 500 : 200).end();
  const ofProject = (projectId: string) => world.batches().filter(({ data }) => data.scope === projectStream(projectId));

  beforeEach(async () => {
    const id = await world.keyring.seal('account-1', 'x');
    await world.store.append('account-1', 'no stream', [
      {
        ...{ id: crypto.randomUUID(), type: 'AccountOpened', version: 1, scope: 'account-1' },
        meta: {
          ...{ actor: { kind: 'cli', id: 'cli' }, correlationId: 'c', causationId: null, commandId: 'c' },
          occurredAt: new Date(world.now).toISOString(),
        },
        data: { userId: 1, email: id, name: id, apiKey: id, plan: 'basic', systemRole: 'admin', confirmed: true, by: 'operator' },
      },
    ]);
  });

  it('gets every project in its order, one batch of a project at a time', async () => {
    await world.add({ after: -1 }, null);
    await world.fail(130);
    await world.fail(20, OTHER_PROJECT);
    await world.push();
    for (const project of [PROJECT, OTHER_PROJECT]) {
      const positions = ofProject(project).flatMap(({ events }) => events.map(({ position }) => Number(position)));
      expect(positions).toEqual(world.logged(project));
    }
    expect(world.received().toSorted((one, other) => one - other)).toEqual(world.store.events.map(({ n }) => n));
  });

  it('parks a project that the receiver refuses, while the others go on, and replays that one alone', async () => {
    const id = await world.add({}, null);
    world.receiver.answer = refuseProject(PROJECT);
    await world.fail(2);
    for (let quarter = 0; quarter < 4 * 75; quarter++) {
      if (quarter % 20 === 0) await world.fail(1, OTHER_PROJECT);
      await world.advance(900);
    }
    expect(ofProject(OTHER_PROJECT).flatMap(({ events }) => events)).toHaveLength(15);
    expect((await world.positions.parked(id)).map(({ scope }) => scope)).toEqual([projectStream(PROJECT)]);
    world.receiver.answer = answering(200);
    const count = ofProject(OTHER_PROJECT).length;
    await world.append('DestinationReplayed', { destinationId: id, after: -1, scope: projectStream(PROJECT), by: 1 }, null);
    await world.restart();
    await world.push();
    expect(await world.positions.parked(id)).toEqual([]);
    expect(
      ofProject(PROJECT)
        .at(-1)
        ?.events.map(({ position }) => Number(position)),
    ).toEqual(world.logged());
    expect(ofProject(OTHER_PROJECT)).toHaveLength(count);
  });

  it('sends a receiver that fails altogether one batch at a time', async () => {
    world.receiver.answer = answering(500);
    const projects = Array.from({ length: 20 }, (_, nth) => String(nth).padStart(24, 'c'));
    await world.add({}, null);
    for (const project of projects) await world.append('CheckFailed', {}, project);
    await world.push();
    const before = world.batches().length;
    expect(before).toBeLessThan(20);
    await world.advance(6);
    expect(world.batches().length).toBeLessThanOrEqual(before + 1);
    world.receiver.answer = answering(200);
    for (let minute = 0; minute < 30; minute++) await world.advance(60);
    expect(new Set(world.batches().map(({ data }) => data.scope)).size).toBeGreaterThanOrEqual(20);
    for (const project of projects) expect(world.received()).toEqual(expect.arrayContaining([...world.logged(project)]));
  });

  it('finds all scopes again after a replay and a restart', async () => {
    await world.fail(1);
    await world.fail(1, OTHER_PROJECT);
    const id = await world.add({}, null);
    await world.push();
    await world.append('DestinationReplayed', { destinationId: id, after: -1, scope: null, by: 1 }, null);
    await world.restart();
    await world.push();
    expect(world.received().toSorted((one, other) => one - other)).toEqual(world.store.events.map(({ n }) => n));
  });
});
