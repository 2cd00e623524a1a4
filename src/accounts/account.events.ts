import type { EntriesOf } from '../kernel/catalogue.ts';
import type { Change } from '../kernel/change.ts';
import type { Sealed } from '../kernel/event.ts';
import type { PreferenceEvents } from '../alerts/preferences/preference.events.ts';
import type { FactorKind, ReportPeriod, SignInFactor, SystemRole, TokenKind } from './account.settings.ts';
import type { TokenScope } from './token-scopes.ts';

/** Notification channels with an address of their own; e-mail is part of the profile. */
export type AddressedChannel = Exclude<PreferenceEvents['NotificationChannelSwitched']['channel'], 'email'>;

/** E-mail, names, phone and API key are sealed with the account's key: erasing the account deletes the key. */
export interface AccountEvents {
  AccountOpened: {
    readonly userId: number;
    readonly email: Sealed;
    readonly name: Sealed;
    readonly apiKey: Sealed;
    readonly plan: string;
    readonly systemRole: SystemRole | null;
    readonly confirmed: boolean;
    readonly by: 'installation' | 'registration' | 'invitation' | 'administrator' | 'provider';
  };
  /** A tombstone that fences off a late opening, whose address was claimed by another account. */
  AccountOpeningAbandoned: { readonly claim: string };
  /** A link was made with which the address can be confirmed. */
  ConfirmationOffered: { readonly expiresAt: string };
  EmailConfirmed: { readonly by: 'link' | 'administrator' };
  PasswordResetOffered: {
    readonly expiresAt: string;
    /** The link signs in to the console, which lets its person choose a password then. */
    readonly signsIn?: true;
  };
  PasswordChanged: { readonly by: 'owner' | 'link' | 'administrator' };
  NameChanged: Change<Sealed>;
  PhoneChanged: Change<Sealed | null>;
  TimezoneChanged: Change<string>;
  NotificationEmailChanged: Change<Sealed | null>;
  /** By the link that was mailed to it: from now on messages go there. */
  NotificationEmailConfirmed: { readonly address: Sealed };
  /** Minutes. */
  NotificationDelayChanged: Change<number>;
  ReportPeriodChanged: Change<ReportPeriod>;
  /** Addresses and keys, each by its name. `previousUntil` of a webhook: the secret before this one signs as well until then. */
  ChannelSet: { readonly channel: AddressedChannel; readonly values: Readonly<Record<string, Sealed>>; readonly previousUntil?: string };
  /** The secrets before the present one sign nothing from now on, although their time was not over. */
  PreviousSecretsEnded: { readonly channel: AddressedChannel };
  ChannelRemoved: { readonly channel: AddressedChannel };
  PlanChanged: Change<string>;
  /** By the groups of a sign-in provider, or granted and removed by hand. */
  SystemRoleChanged: Change<SystemRole | null> & { readonly by?: 'provider' };
  /** The person whom a sign-in provider calls `subject` signs in to this account. */
  IdentityLinked: { readonly identityId: string; readonly issuer: string; readonly subject: Sealed };
  IdentityUnlinked: { readonly identityId: string };
  /** Never its value. `name` of a personal token only; `address` and `newNetwork` of a login: whether the account had never signed in from there. */
  TokenIssued: {
    readonly tokenId: string;
    readonly kind: TokenKind;
    readonly name: Sealed | null;
    readonly expiresAt: string;
    readonly address?: Sealed;
    readonly newNetwork?: boolean;
    /** What a login showed besides the password, or instead of it. */
    readonly secondFactor?: SignInFactor;
    /** The login used a one-time link, without the password. */
    readonly byLink?: true;
    /** What a narrowed personal token may do at most. */
    readonly scopes?: readonly TokenScope[];
    /** The ids of the projects of a narrowed personal token. */
    readonly projects?: readonly string[];
    /** The networks that a narrowed personal token may be used from, a list as JSON. */
    readonly addresses?: Sealed;
  };
  TokenRevoked: { readonly tokenId: string };
  /** The secret was shown; the factor is in force once it is confirmed. */
  SecondFactorEnrolled: { readonly factorId: string; readonly kind: FactorKind };
  /** From now on signing in asks for it. */
  SecondFactorConfirmed: { readonly factorId: string; readonly kind: FactorKind; readonly name: Sealed };
  SecondFactorRenamed: Change<Sealed> & { readonly factorId: string };
  /** `reason` by an administrator only. */
  SecondFactorRemoved: {
    readonly factorId: string;
    readonly kind: FactorKind;
    readonly by: 'owner' | 'administrator';
    readonly reason?: Sealed;
  };
  /** Codes of an earlier set are void. Never a code. */
  RecoveryCodesGenerated: { readonly setId: string; readonly count: number };
  /** `place`: which code of the set; `left`: how many are unused now. */
  RecoveryCodeUsed: { readonly setId: string; readonly place: number; readonly left: number };
  /** Refused: the signature counter of a passkey did not grow, as when an authenticator was cloned. */
  PasskeyCounterRegressed: { readonly factorId: string; readonly known: number; readonly received: number };
  AccountErased: { readonly userId: number };
}

export const accountEvents = {
  AccountOpened: { version: 1 },
  AccountOpeningAbandoned: { version: 1, visibility: 'internal' },
  ConfirmationOffered: { version: 1 },
  EmailConfirmed: { version: 1 },
  PasswordResetOffered: { version: 1 },
  PasswordChanged: { version: 1 },
  NameChanged: { version: 1 },
  PhoneChanged: { version: 1 },
  TimezoneChanged: { version: 1 },
  NotificationEmailChanged: { version: 1 },
  NotificationEmailConfirmed: { version: 1 },
  NotificationDelayChanged: { version: 1 },
  ReportPeriodChanged: { version: 1 },
  ChannelSet: { version: 1 },
  PreviousSecretsEnded: { version: 1 },
  ChannelRemoved: { version: 1 },
  PlanChanged: { version: 1 },
  SystemRoleChanged: { version: 1 },
  IdentityLinked: { version: 1 },
  IdentityUnlinked: { version: 1 },
  TokenIssued: { version: 1 },
  TokenRevoked: { version: 1 },
  SecondFactorEnrolled: { version: 1 },
  SecondFactorConfirmed: { version: 1 },
  SecondFactorRenamed: { version: 1 },
  SecondFactorRemoved: { version: 1 },
  RecoveryCodesGenerated: { version: 1 },
  RecoveryCodeUsed: { version: 1 },
  PasskeyCounterRegressed: { version: 1 },
  AccountErased: { version: 1 },
} satisfies EntriesOf<AccountEvents>;
