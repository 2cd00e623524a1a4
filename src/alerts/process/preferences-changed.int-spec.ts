import { describe, expect, it } from '@jest/globals';
import { useNotificationWorld } from '../../../test/support/notifications/use-notification-world.ts';
import { answered, PROJECT, type NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { samples } from '../../../test/samples/samples.ts';
import type { Failing } from '../../checker/verdicts/verdict.events.ts';

let world: NotificationWorld;
useNotificationWorld((fresh) => {
  world = fresh;
});

const { failing } = samples(PROJECT).CheckFailed;
const timedOut: Failing = { status: 'timeout', rules: ['fetch'], failures: ['no answer within 3 s'] };

const fails = (changes = {}) => world.append('CheckFailed', { since: new Date(world.now).toISOString(), ...changes });
const turns = (from: Failing, to: Failing) => world.append('CheckFailureChanged', { since: new Date(world.now).toISOString(), from, to });
const wantsDelay = (from: number, to: number) => world.append('NotificationDelayChanged', { from, to }, 'account-1');
const wantsSeverity = (from: 1 | 3, to: 1 | 3) => world.append('NotificationSeverityChanged', { userId: 1, from, to });
const bodies = (): readonly {
  readonly data: { readonly items: readonly { readonly failures: readonly string[]; readonly since: string }[] };
}[] => world.posts.map(({ body }) => JSON.parse(String(body)) as ReturnType<typeof bodies>[number]);

describe('a preference that changes while an intent waits', () => {
  it('sends sooner when the delay is shortened', async () => {
    await wantsDelay(0, 60);
    await fails();
    await world.advance(300);
    expect(world.sentMessages()).toEqual([]);
    await wantsDelay(60, 10);
    await world.advance(10);
    expect(world.sentMessages()).toEqual([]);
    await world.advance(290);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
  });

  it('sends at once when the shortened delay has already passed', async () => {
    await wantsDelay(0, 60);
    await fails();
    await world.advance(1_200);
    await wantsDelay(60, 10);
    await world.processAndSend();
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
  });

  it('sends later when the delay is extended, and nothing after a recovery within it', async () => {
    await wantsDelay(0, 10);
    await fails();
    await world.advance(300);
    await wantsDelay(10, 60);
    await world.advance(1_800);
    expect(world.sentMessages()).toEqual([]);
    await world.append('CheckRecovered', {});
    await world.advance(7_200);
    expect(world.sentMessages()).toEqual([]);
  });

  it('sends neither a timeout nor its recovery once the severity is errors only', async () => {
    await wantsSeverity(1, 3);
    await wantsDelay(0, 10);
    await fails({ checkId: 'slow', failing: timedOut });
    await fails({ checkId: 'broken' });
    await world.advance(300);
    await wantsSeverity(3, 1);
    await world.advance(300);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
    await world.append('CheckRecovered', { checkId: 'slow' });
    await world.advance(300);
    expect(world.sentMessages()).toHaveLength(1);
  });

  it('sends the error that a muted timeout turns into', async () => {
    await wantsSeverity(1, 3);
    await wantsDelay(0, 10);
    await fails({ failing: timedOut });
    await world.advance(60);
    await wantsSeverity(3, 1);
    await turns(timedOut, failing);
    await world.advance(700);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
  });
});

describe('a waiting intent', () => {
  it('reports the failure as of delivery, with its original start', async () => {
    await wantsDelay(0, 10);
    const since = new Date(world.now).toISOString();
    await fails();
    await world.advance(300);
    await turns(failing, { ...failing, rules: ['other'], failures: ['expected status 200, got 404'] });
    await world.advance(300);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1']);
    expect(bodies()[0]?.data.items).toMatchObject([{ failures: ['expected status 200, got 404'], since }]);
  });

  it('keeps reporting the confirmed error to recipients who mute the timeout it has become', async () => {
    await wantsDelay(0, 10);
    await fails();
    await world.advance(300);
    await turns(failing, timedOut);
    await world.advance(300);
    expect(bodies()[0]?.data.items).toMatchObject([{ failures: failing.failures }]);
  });
});

describe('a member who is removed during a failure and added again', () => {
  it('is notified like a new member', async () => {
    await fails();
    await world.processAndSend();
    await world.append('MemberRemoved', { userId: 1 });
    await world.append('MemberAdded', { userId: 1, role: '6' });
    await world.switchOn(1, 'webhook');
    await turns(failing, { ...failing, rules: ['other'] });
    await world.advance(61);
    expect(world.sentMessages()).toEqual(['1/webhook problem error 1', '1/webhook problem error 1']);
    await world.append('CheckRecovered', {});
    await world.advance(61);
    expect(world.sentMessages().at(-1)).toBe('1/webhook recovery ok 1');
  });
});

describe('an incident at PagerDuty', () => {
  const incidents = (): readonly string[] =>
    world.posts
      .filter(({ url }) => url.includes('pagerduty'))
      .map(({ body }) => JSON.parse(String(body)) as { readonly event_action: string; readonly routing_key: string })
      .map(({ event_action: action, routing_key: key }) => `${action} ${key}`);
  const opened = async (): Promise<void> => {
    await world.setUp(1, 'pagerduty');
    await world.switchOn(1, 'pagerduty');
    await world.advance(60);
    await fails();
    await world.advance(60);
  };

  it('is resolved with the key that opened it, although the recipient has set another', async () => {
    await opened();
    await world.setUp(1, 'pagerduty', 'another-key');
    await world.append('CheckRecovered', {});
    await world.advance(61);
    expect(incidents()).toEqual(['trigger key-of-1', 'resolve key-of-1']);
  });

  it('masks both keys when it cannot be resolved', async () => {
    await opened();
    await world.setUp(1, 'pagerduty', 'another-key');
    world.reply = () => ({ ...answered(400), body: 'no such key: key-of-1, another-key' });
    await world.append('CheckRecovered', {});
    await world.advance(61);
    const [given] = (await world.deliveries.ofUser(1, 'failed', { limit: 10 })).filter(({ channel }) => channel === 'pagerduty');
    expect(given?.lastAnswer).toBe('answered 400: no such key: (hidden), (hidden)');
    const reasons = world.recorded().filter(({ data }) => data['channel'] === 'pagerduty');
    expect(JSON.stringify(reasons)).not.toMatch(/key-of-1|another-key/);
  });
});
