import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../test/support/decide.ts';
import type { Sealed } from '../kernel/event.ts';
import { account, type Account, type AccountEvent, type Profile } from './account.state.ts';
import {
  abandonOpening,
  administer,
  changePassword,
  changeProfile,
  endPreviousSecrets,
  erase,
  issueToken,
  offerConfirmation,
  openAccount,
  removeChannel,
  revokeToken,
  setChannel,
} from './account.decider.ts';
import { MAX_PERSONAL_TOKENS } from './plan.ts';

const sealed = (text: string): Sealed => ({ subject: 'account-7', sealed: text });
const wanted = {
  userId: 7,
  email: sealed('e'),
  name: sealed('n'),
  apiKey: sealed('k'),
  plan: 'basic',
  systemRole: null,
  confirmed: false,
  by: 'registration',
} as const;
const { given } = decide(account);
const openedEvent: AccountEvent = { type: 'AccountOpened', data: wanted };
const NOW = Date.UTC(2026, 0, 1);
const personal = (tokenId: string) => ({ tokenId, kind: 'personal', name: sealed('ci'), expiresAt: '2027-01-01T00:00:00.000Z' }) as const;

const anyProfile: fc.Arbitrary<Partial<Profile>> = fc.record(
  {
    name: fc.string().map(sealed),
    phone: fc.option(fc.string().map(sealed)),
    timezone: fc.constantFrom('UTC', 'Europe/Prague'),
    notificationEmail: fc.option(fc.string().map(sealed)),
    notificationDelay: fc.integer({ min: 0, max: 60 }),
    reportPeriod: fc.constantFrom('week' as const, 'false' as const),
  },
  { requiredKeys: [] },
);

describe('an account', () => {
  it('is opened once; a repeat decides nothing', () => {
    given()
      .when((state) => openAccount(state, wanted))
      .then(openedEvent);
    given(openedEvent)
      .when((state) => openAccount(state, wanted))
      .then();
  });

  it('cannot be opened after its opening was abandoned', () => {
    given(...abandonOpening(account.initial, 'claim'))
      .when((state) => openAccount(state, wanted))
      .thenRefused('ACCOUNT_NOT_FOUND');
    given(openedEvent)
      .when((state) => abandonOpening(state, 'claim'))
      .then();
  });

  it('decides nothing when the same profile is sent again', () => {
    fc.assert(
      fc.property(anyProfile, (change) => {
        const first = changeProfile(given(openedEvent).state, change);
        given(openedEvent, ...first)
          .when((state) => changeProfile(state, change))
          .then();
      }),
    );
  });

  it('records the old and the new value of each changed field', () => {
    given(openedEvent)
      .when((state) => changeProfile(state, { phone: sealed('p'), name: sealed('n'), reportPeriod: 'false' }))
      .then(
        { type: 'PhoneChanged', data: { from: null, to: sealed('p') } },
        { type: 'ReportPeriodChanged', data: { from: 'week', to: 'false' } },
      );
  });

  it('is confirmed by a password that is set through a link', () => {
    const after = given(openedEvent, ...changePassword(given(openedEvent).state, 'link'));
    expect(after.state).toMatchObject({ confirmed: true });
    after.when((state) => offerConfirmation(state, '2027-01-01T00:00:00.000Z')).then();
  });

  it('loses channels and notification address set before its address was confirmed, and keeps them later', () => {
    const slack = { type: 'ChannelSet', data: { channel: 'slack', values: { url: sealed('u') } } } as const;
    const address = { type: 'NotificationEmailChanged', data: { from: null, to: sealed('a') } } as const;
    const settled = given(openedEvent, slack, address);
    const confirmed = { type: 'EmailConfirmed', data: { by: 'link' } } as const;
    const changed = { type: 'PasswordChanged', data: { by: 'link' } } as const;
    const removed = { type: 'ChannelRemoved', data: { channel: 'slack' } } as const;
    settled
      .when((state) => changePassword(state, 'link'))
      .then(changed, confirmed, removed, { type: 'NotificationEmailChanged', data: { from: sealed('a'), to: null } });
    given(openedEvent, slack, address, confirmed)
      .when((state) => changePassword(state, 'link'))
      .then(changed);
  });

  it('is not confirmed by a change of password by its owner', () => {
    const changed = changePassword(given(openedEvent).state, 'owner');
    expect(given(openedEvent, ...changed).state).toMatchObject({ confirmed: false });
  });

  it('issues and revokes a personal token once; a change of password revokes all of them', () => {
    const issued = { type: 'TokenIssued', data: personal('a') } as const;
    const revoke = (state: Account) => revokeToken(state, 'a');
    given(openedEvent, issued)
      .when((state) => issueToken(state, personal('a'), NOW))
      .then();
    given(openedEvent, issued)
      .when(revoke)
      .then({ type: 'TokenRevoked', data: { tokenId: 'a' } });
    given(openedEvent, issued, { type: 'TokenRevoked', data: { tokenId: 'a' } })
      .when(revoke)
      .thenRefused('TOKEN_NOT_FOUND');
    given(openedEvent, issued, { type: 'PasswordChanged', data: { by: 'owner' } })
      .when(revoke)
      .thenRefused('TOKEN_NOT_FOUND');
  });

  it('has a limited number of personal tokens', () => {
    const many = Array.from({ length: MAX_PERSONAL_TOKENS }, (_, index): AccountEvent => ({
      type: 'TokenIssued',
      data: personal(String(index)),
    }));
    given(openedEvent, ...many)
      .when((state) => issueToken(state, personal('one more'), NOW))
      .thenRefused('TOO_MANY_TOKENS');
  });

  it('revokes expired personal tokens when the limit is reached', () => {
    const short = Array.from({ length: MAX_PERSONAL_TOKENS }, (_, index): AccountEvent => ({
      type: 'TokenIssued',
      data: { ...personal(String(index)), expiresAt: new Date(NOW + (index === 7 ? 0 : 1)).toISOString() },
    }));
    const oneMore = (state: Account) => issueToken(state, personal('one more'), NOW);
    const issued = { type: 'TokenIssued', data: personal('one more') } as const;
    given(openedEvent, ...short)
      .when(oneMore)
      .then({ type: 'TokenRevoked', data: { tokenId: '7' } }, issued);
    given(openedEvent, ...short.slice(1))
      .when(oneMore)
      .then(issued);
  });

  it('changes plan and system role only when they differ', () => {
    given(openedEvent)
      .when((state) => administer(state, { plan: 'basic', systemRole: 'auditor' }))
      .then({ type: 'SystemRoleChanged', data: { from: null, to: 'auditor' } });
  });

  it('lets the former secret of a webhook sign until its end, for the same address only', () => {
    const webhook = (url: string, secret: string) =>
      ({ channel: 'webhook', values: { url: sealed(url), secret: sealed(secret) } }) as const;
    const until = new Date(NOW + 1_000).toISOString();
    const set = given(openedEvent, ...setChannel(given(openedEvent).state, webhook('u', 'a'), until));
    const again = { type: 'ChannelSet', data: { ...webhook('u', 'b'), previousUntil: until } } as const;
    set.when((state) => setChannel(state, webhook('u', 'b'), until)).then(again);
    set.when((state) => setChannel(state, webhook('u', 'b'))).then({ type: 'ChannelSet', data: webhook('u', 'b') });
    set.when((state) => setChannel(state, webhook('other', 'b'), until)).then({ type: 'ChannelSet', data: webhook('other', 'b') });
    const { state } = given(openedEvent, ...setChannel(given(openedEvent).state, webhook('u', 'a')), again);
    const ended = endPreviousSecrets(state, 'webhook', new Date(NOW).toISOString());
    expect(ended).toEqual([{ type: 'PreviousSecretsEnded', data: { channel: 'webhook' } }]);
    expect(endPreviousSecrets(state, 'webhook', until)).toEqual([]);
    expect(endPreviousSecrets(ended.reduce(account.evolve, state), 'webhook', new Date(NOW).toISOString())).toEqual([]);
  });

  it('sets and removes a channel once', () => {
    const slack = { channel: 'slack', values: { url: sealed('u') } } as const;
    const set = given(openedEvent, ...setChannel(given(openedEvent).state, slack));
    set.when((state) => setChannel(state, slack)).then();
    expect(setChannel(set.state, { ...slack, values: { url: sealed('other') } })).toHaveLength(1);
    const remove = (state: Account) => removeChannel(state, 'slack');
    const removed = { type: 'ChannelRemoved', data: { channel: 'slack' } } as const;
    set.when(remove).then(removed);
    given(openedEvent).when(remove).then();
    given(openedEvent, ...setChannel(given(openedEvent).state, slack), removed)
      .when(remove)
      .then();
  });

  it('is erased once, and cannot be changed afterwards', () => {
    const erased = given(openedEvent, ...erase(given(openedEvent).state));
    erased.when(erase).then();
    erased.when((state) => changeProfile(state, { timezone: 'UTC' })).thenRefused('ACCOUNT_NOT_FOUND');
  });
});
