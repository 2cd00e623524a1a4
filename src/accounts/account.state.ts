import type { Decider } from '../kernel/decider.ts';
import type { EventOf, Sealed } from '../kernel/event.ts';
import type { AccountEvents, AddressedChannel } from './account.events.ts';
import type { ReportPeriod, SystemRole } from './account.settings.ts';
import { evolveFactors, noFactors, type SecondFactors } from './second-factor.decider.ts';
import { accountStream } from '../kernel/stream-names.ts';

export type AccountEvent = EventOf<AccountEvents>;

/** The part of an account that its owner may change. */
export interface Profile {
  readonly name: Sealed;
  readonly phone: Sealed | null;
  readonly timezone: string;
  readonly notificationEmail: Sealed | null;
  readonly notificationDelay: number;
  readonly reportPeriod: ReportPeriod;
}

/** Who a person is to a sign-in provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: Sealed;
}

export interface ActiveAccount {
  readonly kind: 'open';
  readonly userId: number;
  readonly profile: Profile;
  /** Its owner used the link that was mailed to the notification address. */
  readonly notificationConfirmed: boolean;
  readonly channels: ReadonlyMap<AddressedChannel, Readonly<Record<string, Sealed>>>;
  /** Channels with a secret before the present one, and until when it signs. */
  readonly previousSecrets: ReadonlyMap<AddressedChannel, string>;
  readonly plan: string;
  readonly systemRole: SystemRole | null;
  /** The role follows from groups of the sign-in provider; one granted by hand does not. */
  readonly roleIsMapped: boolean;
  /** By their id. */
  readonly identities: ReadonlyMap<string, Identity>;
  readonly confirmed: boolean;
  /** Personal tokens that were not revoked, and when they end; login tokens end by themselves. */
  readonly personalTokens: ReadonlyMap<string, string>;
  readonly secondFactors: SecondFactors;
}

export type Account = { readonly kind: 'none' } | { readonly kind: 'abandoned' } | ActiveAccount | { readonly kind: 'erased' };

const initial: Account = { kind: 'none' };

function evolve(account: Account, event: AccountEvent): Account {
  switch (event.type) {
    case 'AccountOpened':
      return begun(event.data);
    case 'AccountOpeningAbandoned':
      return { kind: 'abandoned' };
    case 'AccountErased':
      return { kind: 'erased' };
    default:
      return account.kind === 'open' ? evolveOpen(account, event) : account;
  }
}

const begun = ({ userId, name, plan, systemRole, confirmed }: AccountEvents['AccountOpened']): ActiveAccount => ({
  kind: 'open',
  userId,
  profile: { name, phone: null, timezone: 'UTC', notificationEmail: null, notificationDelay: 0, reportPeriod: 'week' },
  notificationConfirmed: false,
  channels: new Map(),
  previousSecrets: new Map(),
  plan,
  systemRole,
  roleIsMapped: false,
  identities: new Map(),
  confirmed,
  personalTokens: new Map(),
  secondFactors: noFactors,
});

type LaterEvent = Exclude<AccountEvent, { type: 'AccountOpened' | 'AccountOpeningAbandoned' | 'AccountErased' }>;

function evolveOpen(account: ActiveAccount, event: LaterEvent): ActiveAccount {
  const profile = (change: Partial<Profile>): ActiveAccount => ({ ...account, profile: { ...account.profile, ...change } });
  switch (event.type) {
    case 'EmailConfirmed':
      return { ...account, confirmed: true };
    case 'NameChanged':
      return profile({ name: event.data.to });
    case 'PhoneChanged':
      return profile({ phone: event.data.to });
    case 'TimezoneChanged':
      return profile({ timezone: event.data.to });
    case 'NotificationEmailChanged':
      return { ...profile({ notificationEmail: event.data.to }), notificationConfirmed: false };
    case 'NotificationEmailConfirmed':
      return { ...account, notificationConfirmed: true };
    case 'NotificationDelayChanged':
      return profile({ notificationDelay: event.data.to });
    case 'ReportPeriodChanged':
      return profile({ reportPeriod: event.data.to });
    case 'ChannelSet':
      return {
        ...account,
        channels: new Map(account.channels).set(event.data.channel, event.data.values),
        previousSecrets: withPrevious(account, event.data),
      };
    case 'PreviousSecretsEnded':
      return { ...account, previousSecrets: withPrevious(account, event.data) };
    case 'ChannelRemoved':
      return {
        ...account,
        channels: new Map([...account.channels].filter(([channel]) => channel !== event.data.channel)),
        previousSecrets: withPrevious(account, event.data),
      };
    case 'PlanChanged':
      return { ...account, plan: event.data.to };
    case 'SystemRoleChanged':
      return { ...account, systemRole: event.data.to, roleIsMapped: event.data.by === 'provider' };
    case 'IdentityLinked': {
      const { identityId, issuer, subject } = event.data;
      return { ...account, identities: new Map(account.identities).set(identityId, { issuer, subject }) };
    }
    case 'IdentityUnlinked':
      return { ...account, identities: new Map([...account.identities].filter(([identityId]) => identityId !== event.data.identityId)) };
    case 'TokenIssued':
      return event.data.kind === 'login'
        ? account
        : { ...account, personalTokens: new Map(account.personalTokens).set(event.data.tokenId, event.data.expiresAt) };
    case 'TokenRevoked':
      return { ...account, personalTokens: new Map([...account.personalTokens].filter(([tokenId]) => tokenId !== event.data.tokenId)) };
    // Every token that was made with the old password ends with it.
    case 'PasswordChanged':
      return { ...account, personalTokens: new Map() };
    case 'ConfirmationOffered':
    case 'PasswordResetOffered':
      return account;
    default:
      return { ...account, secondFactors: evolveFactors(account.secondFactors, event) };
  }
}

function withPrevious(
  { previousSecrets }: ActiveAccount,
  { channel, previousUntil }: Pick<AccountEvents['ChannelSet'], 'channel' | 'previousUntil'>,
): ActiveAccount['previousSecrets'] {
  const others = [...previousSecrets].filter(([name]) => name !== channel);
  return new Map(previousUntil === undefined ? others : [...others, [channel, previousUntil]]);
}

export const account: Decider<Account, AccountEvent> = { initial, evolve };

export const accountTarget = (userId: number) => ({ stream: accountStream(userId), scope: accountStream(userId), decider: account });
