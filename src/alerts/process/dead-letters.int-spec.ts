import { beforeEach, describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { PROJECT, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { until } from '../../../test/support/until.ts';
import { ConsumerStore } from '../../platform/consumers/consumer-store.ts';

const OTHER = 'bbbbbbbbbbbbbbbbbbbbbbbb';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});
beforeEach(() => openProject(OTHER));

async function openProject(projectId: string): Promise<void> {
  await world.append('ProjectCreated', { projectId }, `project-${projectId}`);
  await world.append('NotificationChannelSwitched', { userId: 1, channel: 'webhook', from: false, to: true }, `project-${projectId}`);
}

const fails = (projectId: string, checkId: string) => world.append('CheckFailed', { checkId }, `project-${projectId}`);
const recovers = (projectId: string, checkId: string) => world.append('CheckRecovered', { checkId }, `project-${projectId}`);

interface WebhookBody {
  readonly type: string;
  readonly data: { readonly project: { readonly id: string }; readonly items: readonly { readonly testId: string }[] };
}

/** Each message: of which project, what, about which checks. */
const sentMessages = (): readonly string[] =>
  world.posts.map(({ body }) => {
    const { type, data } = JSON.parse(String(body)) as WebhookBody;
    return `${data.project.id.slice(0, 1)} ${type} ${data.items.map(({ testId }) => testId).join('+')}`;
  });

const standing = () => new ConsumerStore(world.pool).deadLetters();

describe.each(['project', 'preference', 'maintenance'])('while the %s of one project is parked', (view) => {
  beforeEach(() => {
    world.parked = [[view, PROJECT]];
  });

  it('notifies of all other projects, and of that one once it is readable', async () => {
    await fails(PROJECT, 'one');
    await fails(OTHER, 'two');
    await world.processAndSend();
    await world.advance(120);
    expect(sentMessages()).toEqual(['b problem two']);
    expect(await standing()).toMatchObject({ events: 1, scopes: 1, first: `project-${PROJECT}` });
    world.parked = [];
    await world.advance(60);
    expect(sentMessages()).toEqual(['b problem two', 'a problem one']);
    expect(await standing()).toMatchObject({ events: 0, scopes: 0, first: null });
  });

  it('keeps the order of its events, across a crash', async () => {
    world.parked = [];
    await fails(PROJECT, 'before');
    await world.processAndSend();
    world.parked = [[view, PROJECT]];
    await fails(PROJECT, 'lasting');
    await recovers(PROJECT, 'before');
    await fails(PROJECT, 'short');
    await world.processAndSend();
    await recovers(PROJECT, 'short');
    await world.restart();
    await world.advance(600);
    expect(sentMessages()).toEqual(['a problem before']);
    world.parked = [];
    await world.restart();
    await world.advance(60);
    // No message for a problem that began and ended while its events were parked.
    expect(sentMessages().slice(1).sort()).toEqual(['a problem lasting', 'a recovery before']);
    await world.advance(3600);
    expect(sentMessages()).toHaveLength(3);
  });
});

it('does not notify a member who left in between', async () => {
  await world.openAccount(2);
  await world.setUp(2, 'webhook');
  await world.append('MemberAdded', { userId: 2, role: '6' });
  await world.switchOn(2, 'webhook');
  await world.processAndSend();
  world.parked = [['project', PROJECT]];
  await fails(PROJECT, 'one');
  await world.append('MemberRemoved', { userId: 2 });
  await world.processAndSend();
  world.parked = [];
  await world.advance(60);
  expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
});

it('continues past an unreadable event, and with its scope once an operator has voided it', async () => {
  await world.append('CheckFailed', { checkId: 'broken', failing: undefined } as object);
  const n = world.store.events.length - 1;
  await fails(PROJECT, 'behind it');
  await fails(OTHER, 'two');
  await world.processAndSend();
  await world.advance(60);
  expect(sentMessages()).toEqual(['b problem two']);
  await world.append('EventVoided', { n }, 'system');
  await world.advance(60);
  expect(sentMessages()).toEqual(['b problem two', 'a problem behind it']);
  expect(await standing()).toMatchObject({ events: 0 });
});

it('finds the readable scope among many blocked ones', async () => {
  const ids = Array.from({ length: 120 }, (_, place) => `c${String(place).padStart(23, '0')}`);
  world.parked = ids.map((id) => ['project', id]);
  for (const id of ids) await fails(id, 'x');
  const [well] = ids.slice(-5);
  await openProject(well ?? '');
  await world.processAndSend();
  expect(await standing()).toMatchObject({ events: 120, scopes: 120 });
  world.parked = world.parked.filter(([, id]) => id !== well);
  await world.advance(1);
  await world.advance(1);
  expect(sentMessages()).toEqual(['c problem x']);
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
  expect(sentMessages()).toEqual(['a problem one']);
});
