import { beforeEach, describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { PROJECT, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { until } from '../../../test/support/until.ts';
import { DeadLetters } from './dead-letters.ts';

const OTHER = 'bbbbbbbbbbbbbbbbbbbbbbbb';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});
beforeEach(() => openProject(OTHER));

async function openProject(projectId: string): Promise<void> {
  await world.happen('ProjectCreated', { projectId }, `project-${projectId}`);
  await world.happen('NotificationChannelSwitched', { userId: 1, channel: 'webhook', from: false, to: true }, `project-${projectId}`);
}

const fails = (projectId: string, checkId: string) => world.happen('CheckFailed', { checkId }, `project-${projectId}`);
const recovers = (projectId: string, checkId: string) => world.happen('CheckRecovered', { checkId }, `project-${projectId}`);

interface Told {
  readonly type: string;
  readonly data: { readonly project: { readonly id: string }; readonly items: readonly { readonly testId: string }[] };
}

/** Each message: of which project, what, about which checks. */
const told = (): readonly string[] =>
  world.posts.map(({ body }) => {
    const { type, data } = JSON.parse(String(body)) as Told;
    return `${data.project.id.slice(0, 1)} ${type} ${data.items.map(({ testId }) => testId).join('+')}`;
  });

const standing = () => new DeadLetters(world.pool).status();

describe.each(['project', 'preference', 'maintenance'])('while the %s of one project is parked', (view) => {
  beforeEach(() => {
    world.parked = [[view, PROJECT]];
  });

  it('notifies of all other projects, and of that one once it is readable', async () => {
    await fails(PROJECT, 'one');
    await fails(OTHER, 'two');
    await world.follow();
    await world.pass(120);
    expect(told()).toEqual(['b problem two']);
    expect(await standing()).toMatchObject({ events: 1, scopes: 1, first: `project-${PROJECT}` });
    world.parked = [];
    await world.pass(60);
    expect(told()).toEqual(['b problem two', 'a problem one']);
    expect(await standing()).toMatchObject({ events: 0, scopes: 0, first: null });
  });

  it('keeps the order of its events, across a crash', async () => {
    world.parked = [];
    await fails(PROJECT, 'before');
    await world.follow();
    world.parked = [[view, PROJECT]];
    await fails(PROJECT, 'lasting');
    await recovers(PROJECT, 'before');
    await fails(PROJECT, 'short');
    await world.follow();
    await recovers(PROJECT, 'short');
    await world.restart();
    await world.pass(600);
    expect(told()).toEqual(['a problem before']);
    world.parked = [];
    await world.restart();
    await world.pass(60);
    // Of what began and ended while nobody could be told, nobody has to hear.
    expect(told().slice(1).sort()).toEqual(['a problem lasting', 'a recovery before']);
    await world.pass(3600);
    expect(told()).toHaveLength(3);
  });
});

it('does not notify a member who left in between', async () => {
  await world.openAccount(2);
  await world.setUp(2, 'webhook');
  await world.happen('MemberAdded', { userId: 2, role: '6' });
  await world.switchOn(2, 'webhook');
  await world.follow();
  world.parked = [['project', PROJECT]];
  await fails(PROJECT, 'one');
  await world.happen('MemberRemoved', { userId: 2 });
  await world.follow();
  world.parked = [];
  await world.pass(60);
  expect(world.told()).toEqual(['1/webhook problem error 1']);
});

it('goes on past an unreadable event, and with its scope once an operator has voided it', async () => {
  await world.happen('CheckFailed', { checkId: 'broken', failing: undefined } as object);
  const n = world.store.events.length - 1;
  await fails(PROJECT, 'behind it');
  await fails(OTHER, 'two');
  await world.follow();
  await world.pass(60);
  expect(told()).toEqual(['b problem two']);
  await world.happen('EventVoided', { n }, 'system');
  await world.pass(60);
  expect(told()).toEqual(['b problem two', 'a problem behind it']);
  expect(await standing()).toMatchObject({ events: 0 });
});

it('finds the readable scope among many blocked ones', async () => {
  const ids = Array.from({ length: 120 }, (_, place) => `c${String(place).padStart(23, '0')}`);
  world.parked = ids.map((id) => ['project', id]);
  for (const id of ids) await fails(id, 'x');
  const [well] = ids.slice(-5);
  await openProject(well ?? '');
  await world.follow();
  expect(await standing()).toMatchObject({ events: 120, scopes: 120 });
  world.parked = world.parked.filter(([, id]) => id !== well);
  await world.pass(1);
  await world.pass(1);
  expect(told()).toEqual(['c problem x']);
  expect(await standing()).toMatchObject({ events: 119, scopes: 119 });
});

it('retries dead letters by itself while it follows the log', async () => {
  const { notifications } = world.newProcess();
  const over = new AbortController();
  world.parked = [['project', PROJECT]];
  const working = notifications.work(over.signal);
  await fails(PROJECT, 'one');
  await until(async () => (await standing()).events === 1, 10_000, 'a dead letter is stored');
  world.parked = [];
  await until(async () => (await standing()).events === 0, 10_000, 'the dead letter is handled');
  over.abort();
  await working;
  await world.send();
  expect(told()).toEqual(['a problem one']);
});
