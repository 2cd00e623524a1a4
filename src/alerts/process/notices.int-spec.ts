import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ProcessKilled } from '../../../test/support/notifications/crashable-process.ts';
import { acceptingMailer, NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { accountStream } from '../../kernel/stream-names.ts';

let database: TestDatabase;
let world: NotificationWorld;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await NotificationWorld.open(database.pool, acceptingMailer);
});

const OWN = accountStream(1);
const subjects = () => world.mails.map(({ to, subject }) => `${to}: ${subject}`);

describe('security notices', () => {
  it('tell the owner of a token, a password, a channel, an address, a transfer and a new network, at the address of the account', async () => {
    await world.append('NotificationEmailChanged', {}, OWN);
    for (const [type, changes] of [
      ['TokenIssued', {}],
      ['TokenIssued', { kind: 'login', name: null, newNetwork: true }],
      ['PasswordChanged', { by: 'owner' }],
      ['ChannelRemoved', {}],
    ] as const)
      await world.append(type, changes, OWN);
    await world.append('ProjectTransferred', { from: 1, to: 2 });
    await world.processAndSend();
    expect(subjects()).toEqual(['user1@example.test: Watchledger: changes to your account']);
    const { text } = world.mails[0] ?? { text: '' };
    for (const words of [
      'notification address',
      'access token',
      'new network',
      'password was changed',
      'slack was removed',
      'transferred to another',
    ])
      expect(text).toContain(words);
    expect(world.errors).toEqual([]);
  });

  it('tell of every change of the second factors, and of recovery codes and copies of passkeys', async () => {
    for (const [type, changes] of [
      ['SecondFactorEnrolled', {}],
      ['SecondFactorRenamed', {}],
      ['SecondFactorConfirmed', {}],
      ['SecondFactorRemoved', {}],
      ['SecondFactorRemoved', { kind: 'passkey', by: 'administrator', reason: await world.keyring.seal(OWN, 'showed a passport') }],
      ['RecoveryCodesGenerated', {}],
      ['RecoveryCodeUsed', { left: 4 }],
      ['PasskeyCounterRegressed', {}],
    ] as const)
      await world.append(type, changes, OWN);
    await world.processAndSend();
    const { text } = world.mails[0] ?? { text: '' };
    for (const words of [
      'factor was added: the authenticator app',
      'factor was removed: an authenticator app',
      'removed by an administrator (showed a passport): a passkey',
      'New recovery codes',
      '4 are left',
      'a copy of it may exist',
    ])
      expect(text).toContain(words);
    expect(text.match(/UTC: /g)).toHaveLength(6);
  });

  it('are bundled for a minute, whatever is changed meanwhile', async () => {
    for (let turn = 0; turn < 5; turn++) {
      await world.append('ChannelSet', {}, OWN);
      await world.advance(1);
    }
    expect(subjects()).toEqual(['user1@example.test: Watchledger: a notification channel was set']);
    await world.advance(61);
    expect(subjects()).toHaveLength(2);
    expect(world.mails[1]?.text.match(/channel slack was set/g)).toHaveLength(4);
  });

  it('say nothing of a login from a known network, and nothing to an unconfirmed address', async () => {
    await world.append('TokenIssued', { kind: 'login', name: null, newNetwork: false }, OWN);
    await world.append('AccountOpened', { userId: 2, confirmed: false }, accountStream(2));
    await world.append('PasswordChanged', { by: 'owner' }, accountStream(2));
    await world.processAndSend();
    expect(world.mails).toEqual([]);
    expect(await world.remaining()).toEqual({ problems: [], messages: [] });
  });

  it('survive a crash at any step, and are sent twice at most', async () => {
    for (const how of ['before', 'after'] as const)
      for (let step = 1; ; step++) {
        const crashing = await NotificationWorld.open(database.pool, acceptingMailer);
        await crashing.killAt(step, how);
        await crashing.append('PasswordChanged', { by: 'owner' }, OWN);
        const died = await crashing.processAndSend().then(
          () => crashing.crashable.isDead,
          (error: unknown) => {
            if (!(error instanceof ProcessKilled)) throw error;
            return true;
          },
        );
        await crashing.restart();
        await crashing.advance(600);
        expect([how, step, [1, 2].includes(crashing.mails.length)]).toEqual([how, step, true]);
        if (!died) break;
      }
  });
});
