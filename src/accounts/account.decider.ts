import { MAX_PERSONAL_TOKENS } from './plan.ts';
import { changedSettings, same } from '../kernel/change.ts';
import type { EventBody, Sealed } from '../kernel/event.ts';
import { DomainError } from '../kernel/errors.ts';
import type { AccountEvents, AddressedChannel } from './account.events.ts';
import type { Account, AccountEvent, ActiveAccount, Profile } from './account.state.ts';
import { NOT_CONFIRMED, type SystemRole } from './account.settings.ts';

/** Each field of a profile and the event that says it changed. */
const profileTable = {
  name: 'NameChanged',
  phone: 'PhoneChanged',
  timezone: 'TimezoneChanged',
  notificationEmail: 'NotificationEmailChanged',
  notificationDelay: 'NotificationDelayChanged',
  reportPeriod: 'ReportPeriodChanged',
} as const satisfies Record<keyof Profile, keyof AccountEvents>;

type ProfileEventType = (typeof profileTable)[keyof Profile];
type ProfileEvent = { [Type in ProfileEventType]: EventBody<Type, AccountEvents[Type]> }[ProfileEventType];

/** One event for each field that really changes. */
const profileChanges = (profile: Profile, wanted: Partial<Profile>): readonly ProfileEvent[] =>
  changedSettings(profileTable, profile, wanted).map(({ type, from, to }) => ({ type, data: { from, to } }) as ProfileEvent);

export class AccountNotFound extends DomainError {
  readonly code = 'ACCOUNT_NOT_FOUND';

  constructor(message = 'The account was not found.') {
    super(message);
  }
}

export class AddressNotConfirmed extends DomainError {
  readonly code = 'ADDRESS_NOT_CONFIRMED';

  constructor() {
    super(NOT_CONFIRMED);
  }
}

export class TokenNotFound extends DomainError {
  readonly code = 'TOKEN_NOT_FOUND';

  constructor() {
    super('The token was not found.');
  }
}

export class NotificationEmailReplaced extends DomainError {
  readonly code = 'NOTIFICATION_EMAIL_REPLACED';

  constructor() {
    super('token: confirms an address that was replaced since.');
  }
}

export class TooManyTokens extends DomainError {
  readonly code = 'TOO_MANY_TOKENS';

  constructor() {
    super(`An account has at most ${String(MAX_PERSONAL_TOKENS)} personal access tokens; revoke one first.`);
  }
}

/** A user id is never assigned twice: a stream with events means that the opening is repeated or was abandoned. */
export function openAccount(state: Account, wanted: AccountEvents['AccountOpened']): readonly AccountEvent[] {
  if (state.kind === 'open') return [];
  if (state.kind !== 'none') throw new AccountNotFound();
  return [{ type: 'AccountOpened', data: wanted }];
}

export function abandonOpening(state: Account, claim: string): readonly AccountEvent[] {
  return state.kind === 'none' ? [{ type: 'AccountOpeningAbandoned', data: { claim } }] : [];
}

export function offerConfirmation(state: Account, expiresAt: string): readonly AccountEvent[] {
  return requireOpenAccount(state).confirmed ? [] : [{ type: 'ConfirmationOffered', data: { expiresAt } }];
}

export function offerPasswordReset(state: Account, expiresAt: string, signsIn = false): readonly AccountEvent[] {
  requireOpenAccount(state);
  return [{ type: 'PasswordResetOffered', data: { expiresAt, ...(signsIn && { signsIn }) } }];
}

/** Refuses a link to an address that was replaced since. */
export function confirmNotificationEmail(state: Account, address: Sealed): readonly AccountEvent[] {
  const { profile, notificationConfirmed } = requireOpenAccount(state);
  if (!same(profile.notificationEmail, address)) throw new NotificationEmailReplaced();
  return notificationConfirmed ? [] : [{ type: 'NotificationEmailConfirmed', data: { address } }];
}

/**
 * Setting a password through a mailed link confirms the address. What was set before may be that of another person, who registered a foreign address: the
 * password and the tokens end with every change, channels and notification address with this one.
 */
export function changePassword(state: Account, by: AccountEvents['PasswordChanged']['by']): readonly AccountEvent[] {
  const { confirmed, channels, profile } = requireOpenAccount(state);
  const changed: AccountEvent = { type: 'PasswordChanged', data: { by } };
  if (by !== 'link' || confirmed) return [changed];
  return [
    changed,
    { type: 'EmailConfirmed', data: { by } },
    ...[...channels.keys()].map((channel): AccountEvent => ({ type: 'ChannelRemoved', data: { channel } })),
    ...profileChanges(profile, { notificationEmail: null }),
  ];
}

export function changeProfile(state: Account, wanted: Partial<Profile>): readonly AccountEvent[] {
  return profileChanges(requireOpenAccount(state).profile, wanted);
}

/**
 * A new secret of the same address lets the one before it sign until `previousUntil`, so that the receiver misses nothing before it knows the new one.
 * Another address is another receiver, which gets no signature that the former one would accept.
 */
export function setChannel(
  state: Account,
  { channel, values }: AccountEvents['ChannelSet'],
  previousUntil: string | null = null,
): readonly AccountEvent[] {
  const before = requireOpenAccount(state).channels.get(channel);
  if (same(before, values)) return [];
  const keepsPrevious = previousUntil !== null && before?.['secret'] !== undefined && same(before['url'], values['url']);
  return [{ type: 'ChannelSet', data: { channel, values, ...(keepsPrevious ? { previousUntil } : {}) } }];
}

export function endPreviousSecrets(state: Account, channel: AddressedChannel, at: string): readonly AccountEvent[] {
  const until = requireOpenAccount(state).previousSecrets.get(channel);
  return until === undefined || until <= at ? [] : [{ type: 'PreviousSecretsEnded', data: { channel } }];
}

export function removeChannel(state: Account, channel: AddressedChannel): readonly AccountEvent[] {
  return requireOpenAccount(state).channels.has(channel) ? [{ type: 'ChannelRemoved', data: { channel } }] : [];
}

export interface Administration {
  readonly plan?: string;
  readonly systemRole?: SystemRole | null;
}

export function administer(state: Account, { plan, systemRole }: Administration): readonly AccountEvent[] {
  const today = requireOpenAccount(state);
  return [
    ...(plan === undefined || plan === today.plan ? [] : [{ type: 'PlanChanged', data: { from: today.plan, to: plan } } as const]),
    ...(systemRole === undefined || systemRole === today.systemRole
      ? []
      : [{ type: 'SystemRoleChanged', data: { from: today.systemRole, to: systemRole } } as const]),
  ];
}

/** At the limit, expired tokens make room. */
export function issueToken(state: Account, token: AccountEvents['TokenIssued'], now: number): readonly AccountEvent[] {
  const { personalTokens } = requireOpenAccount(state);
  if (personalTokens.has(token.tokenId)) return [];
  const issued: AccountEvent = { type: 'TokenIssued', data: token };
  if (token.kind === 'login' || personalTokens.size < MAX_PERSONAL_TOKENS) return [issued];
  const ended = [...personalTokens].filter(([, expiresAt]) => Date.parse(expiresAt) <= now);
  if (ended.length === 0) throw new TooManyTokens();
  return [...ended.map(([tokenId]): AccountEvent => ({ type: 'TokenRevoked', data: { tokenId } })), issued];
}

export function revokeToken(state: Account, tokenId: string): readonly AccountEvent[] {
  holding(state, tokenId);
  return [{ type: 'TokenRevoked', data: { tokenId } }];
}

/** Refuses a personal token that the account does not have, or no longer. */
export function holding(state: Account, tokenId: string): void {
  if (!requireOpenAccount(state).personalTokens.has(tokenId)) throw new TokenNotFound();
}

/** A repeated erasure is a success that changes nothing. */
export function erase(state: Account): readonly AccountEvent[] {
  return state.kind === 'erased' ? [] : [{ type: 'AccountErased', data: { userId: requireOpenAccount(state).userId } }];
}

/** The account, if it can be used; refused when it was never opened, given up, or erased. */
export function requireOpenAccount(state: Account): ActiveAccount {
  if (state.kind !== 'open') throw new AccountNotFound();
  return state;
}

export function requireConfirmedAccount(state: Account): ActiveAccount {
  const account = requireOpenAccount(state);
  if (!account.confirmed) throw new AddressNotConfirmed();
  return account;
}
