import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Sealed } from '../../kernel/event.ts';
import { account, type Account, type AccountEvent, type Profile } from './account.ts';
import {
  AccountNotFound,
  abandonOpening,
  administer,
  changePassword,
  changeProfile,
  confirmEmail,
  erase,
  issueToken,
  MAX_PERSONAL_TOKENS,
  offerConfirmation,
  openAccount,
  removeChannel,
  revokeToken,
  setChannel,
  TokenNotFound,
  TooManyTokens,
} from './decisions.ts';

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
const given = (...events: readonly AccountEvent[]): Account => events.reduce(account.evolve, account.initial);
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
    expect(openAccount(account.initial, wanted)).toEqual([openedEvent]);
    expect(openAccount(given(openedEvent), wanted)).toEqual([]);
  });

  it('cannot be opened late, after its address was given to somebody else', () => {
    const abandoned = given(...abandonOpening(account.initial, 'claim'));
    expect(() => openAccount(abandoned, wanted)).toThrow(AccountNotFound);
    expect(abandonOpening(given(openedEvent), 'claim')).toEqual([]);
  });

  it('decides nothing when a profile is written again', () => {
    fc.assert(
      fc.property(anyProfile, (change) => {
        const first = changeProfile(given(openedEvent), change);
        expect(changeProfile(given(openedEvent, ...first), change)).toEqual([]);
      }),
    );
  });

  it('says for each changed field what it was and what it is', () => {
    expect(changeProfile(given(openedEvent), { phone: sealed('p'), name: sealed('n'), reportPeriod: 'false' })).toEqual([
      { type: 'PhoneChanged', data: { from: null, to: sealed('p') } },
      { type: 'ReportPeriodChanged', data: { from: 'week', to: 'false' } },
    ]);
  });

  it('counts as confirmed once a password was set through a link', () => {
    const after = given(openedEvent, ...changePassword(given(openedEvent), 'link'));
    expect(after).toMatchObject({ confirmed: true });
    expect(confirmEmail(after, 'link')).toEqual([]);
    expect(offerConfirmation(after, '2027-01-01T00:00:00.000Z')).toEqual([]);
  });

  it('does not count as confirmed by a change of password alone', () => {
    expect(given(openedEvent, ...changePassword(given(openedEvent), 'owner'))).toMatchObject({ confirmed: false });
  });

  it('revokes a personal token once; all of them end with the password', () => {
    const issued = given(openedEvent, ...issueToken(given(openedEvent), personal('a'), NOW));
    expect(issueToken(issued, personal('a'), NOW)).toEqual([]);
    const revoked = given(openedEvent, ...issueToken(given(openedEvent), personal('a'), NOW), ...revokeToken(issued, 'a'));
    expect(() => revokeToken(revoked, 'a')).toThrow(TokenNotFound);
    expect(() => revokeToken(account.evolve(issued, { type: 'PasswordChanged', data: { by: 'owner' } }), 'a')).toThrow(TokenNotFound);
  });

  it('has a bound for personal tokens', () => {
    const many = Array.from({ length: MAX_PERSONAL_TOKENS }, (_, index): AccountEvent => ({
      type: 'TokenIssued',
      data: personal(String(index)),
    }));
    expect(() => issueToken(given(openedEvent, ...many), personal('one more'), NOW)).toThrow(TooManyTokens);
  });

  it('makes room for a personal token where others have ended by themselves', () => {
    const short = Array.from({ length: MAX_PERSONAL_TOKENS }, (_, index): AccountEvent => ({
      type: 'TokenIssued',
      data: { ...personal(String(index)), expiresAt: new Date(NOW + (index === 7 ? 0 : 1)).toISOString() },
    }));
    expect(issueToken(given(openedEvent, ...short), personal('one more'), NOW)).toEqual([
      { type: 'TokenRevoked', data: { tokenId: '7' } },
      { type: 'TokenIssued', data: personal('one more') },
    ]);
    expect(issueToken(given(openedEvent, ...short.slice(1)), personal('one more'), NOW)).toHaveLength(1);
  });

  it('changes plan and system role only when they differ', () => {
    expect(administer(given(openedEvent), { plan: 'basic', systemRole: 'auditor' })).toEqual([
      { type: 'SystemRoleChanged', data: { from: null, to: 'auditor' } },
    ]);
  });

  it('sets and takes away a channel once', () => {
    const slack = { channel: 'slack', values: { url: sealed('u') } } as const;
    const set = given(openedEvent, ...setChannel(given(openedEvent), slack));
    expect(setChannel(set, slack)).toEqual([]);
    expect(setChannel(set, { ...slack, values: { url: sealed('other') } })).toHaveLength(1);
    const removed = [{ type: 'ChannelRemoved', data: { channel: 'slack' } }] as const;
    expect(removeChannel(set, 'slack')).toEqual(removed);
    expect(removeChannel(given(openedEvent), 'slack')).toEqual([]);
    expect(removeChannel(removed.reduce(account.evolve, set), 'slack')).toEqual([]);
  });

  it('is erased once, and nothing can be done to it afterwards', () => {
    const gone = given(openedEvent, ...erase(given(openedEvent)));
    expect(erase(gone)).toEqual([]);
    expect(() => changeProfile(gone, { timezone: 'UTC' })).toThrow(AccountNotFound);
  });
});
