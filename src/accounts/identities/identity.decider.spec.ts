import { describe, expect, it } from '@jest/globals';
import { decide } from '../../../test/support/decide.ts';
import type { Sealed } from '../../kernel/event.ts';
import { account, type AccountEvent } from '../account.state.ts';
import { isLinked, linkIdentity, mapRole, unlinkIdentity } from './identity.decider.ts';

const sealed = (text: string): Sealed => ({ subject: 'account-7', sealed: text });
const { given } = decide(account);
const opened = (over: { readonly confirmed?: boolean; readonly systemRole?: 'admin' } = {}): AccountEvent => ({
  type: 'AccountOpened',
  data: {
    ...{ userId: 7, email: sealed('e'), name: sealed('n'), apiKey: sealed('k'), plan: 'basic', by: 'registration' as const },
    ...{ systemRole: null, confirmed: true, ...over },
  },
});
const erased: AccountEvent = { type: 'AccountErased', data: { userId: 7 } };
const identity = (identityId: string, issuer: string, subject: string) => ({ identityId, issuer, subject: sealed(subject) });
const ours = identity('i-1', 'https://id.example', 'anna');
const linked: AccountEvent = { type: 'IdentityLinked', data: ours };
const unlinked: AccountEvent = { type: 'IdentityUnlinked', data: { identityId: 'i-1' } };
const role = (from: 'admin' | 'auditor' | null, to: 'admin' | 'auditor' | null, by?: 'provider'): AccountEvent => ({
  type: 'SystemRoleChanged',
  data: { from, to, ...(by === undefined ? {} : { by }) },
});

describe('linking an identity', () => {
  it('is an event, and a repeat decides nothing, whatever its id', () => {
    given(opened())
      .when((state) => linkIdentity(state, ours))
      .then(linked);
    for (const again of [ours, { ...ours, identityId: 'i-2' }])
      given(opened(), linked)
        .when((state) => linkIdentity(state, again))
        .then();
  });

  it('is refused to an account that is unconfirmed, erased or unknown', () => {
    given(opened({ confirmed: false }))
      .when((state) => linkIdentity(state, ours))
      .thenRefused('ADDRESS_NOT_CONFIRMED');
    for (const events of [[], [opened(), erased]])
      given(...events)
        .when((state) => linkIdentity(state, ours))
        .thenRefused('ACCOUNT_NOT_FOUND');
  });

  it('is refused where another person of the same provider is linked; another provider is not', () => {
    given(opened(), linked)
      .when((state) => linkIdentity(state, identity('i-2', ours.issuer, 'her successor')))
      .thenRefused('OTHER_IDENTITY_LINKED');
    const elsewhere = identity('i-2', 'https://other.example', 'anna');
    given(opened(), linked)
      .when((state) => linkIdentity(state, elsewhere))
      .then({ type: 'IdentityLinked', data: elsewhere });
  });

  it('is possible for another person once the link was removed', () => {
    const successor = identity('i-2', ours.issuer, 'her successor');
    given(opened(), linked, unlinked)
      .when((state) => linkIdentity(state, successor))
      .then({ type: 'IdentityLinked', data: successor });
  });

  it('counts by issuer and subject together', () => {
    const { state } = given(opened(), linked);
    if (state.kind !== 'open') throw new Error('the account is open');
    expect(isLinked(state, ours)).toBe(true);
    expect(isLinked(state, identity('i-1', 'https://other.example', 'anna'))).toBe(false);
    expect(isLinked(state, identity('i-1', ours.issuer, 'berta'))).toBe(false);
  });
});

describe('removing the link of an identity', () => {
  it('is refused where there is none, also the second time', () => {
    for (const events of [[opened()], [opened(), linked, unlinked]])
      given(...events)
        .when((state) => unlinkIdentity(state, 'i-1'))
        .thenRefused('IDENTITY_NOT_FOUND');
  });

  it('ends a role that the provider gave, and no role that was given by hand', () => {
    given(opened(), linked, role(null, 'admin', 'provider'))
      .when((state) => unlinkIdentity(state, 'i-1'))
      .then(unlinked, role('admin', null, 'provider'));
    for (const byHand of [
      [opened({ systemRole: 'admin' }), linked],
      [opened(), linked, role(null, 'admin')],
    ])
      given(...byHand)
        .when((state) => unlinkIdentity(state, 'i-1'))
        .then(unlinked);
  });
});

describe('a role of the provider', () => {
  it('is given, changed and ended with the groups of the person; without a change there is no event', () => {
    const admin = role(null, 'admin', 'provider');
    given(opened())
      .when((state) => mapRole(state, 'admin'))
      .then(admin);
    given(opened(), admin)
      .when((state) => mapRole(state, 'auditor'))
      .then(role('admin', 'auditor', 'provider'));
    given(opened(), admin)
      .when((state) => mapRole(state, null))
      .then(role('admin', null, 'provider'));
    for (const [events, to] of [
      [[opened()], null],
      [[opened(), admin], 'admin'],
    ] as const)
      given(...events)
        .when((state) => mapRole(state, to))
        .then();
  });

  it('does not replace one that was given by hand, also after the provider had given one', () => {
    const byHand = [
      [opened({ systemRole: 'admin' })],
      [opened(), role(null, 'admin')],
      [opened(), role(null, 'auditor', 'provider'), role('auditor', 'admin')],
    ];
    for (const events of byHand)
      for (const to of [null, 'auditor'] as const)
        given(...events)
          .when((state) => mapRole(state, to))
          .then();
  });

  it('is refused to an erased account', () => {
    given(opened(), erased)
      .when((state) => mapRole(state, 'admin'))
      .thenRefused('ACCOUNT_NOT_FOUND');
  });
});
