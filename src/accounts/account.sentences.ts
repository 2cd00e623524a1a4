import type { AccessEvents, AccessKind } from './accesses/access.events.ts';
import type { AccountEvents } from './account.events.ts';
import { nameOfChannel } from '../alerts/alerts.sentences.ts';
import { changed, pluralized, type Sentences, shown } from '../kernel/sentence.ts';

const FACTORS = { totp: 'authenticator app', passkey: 'passkey' } as const;

export const accountSentences = {
  AccountOpened: ({ userId, by }) => `Account ${String(userId)} opened by ${by}`,
  AccountOpeningAbandoned: () => 'Abandoned: the account was never completed',
  ConfirmationOffered: ({ expiresAt }) => `Confirmation link created, valid until ${expiresAt}`,
  EmailConfirmed: ({ by }) => `E-mail address confirmed by ${by}`,
  PasswordResetOffered: ({ expiresAt, signsIn }) =>
    `${signsIn === true ? 'One-time link to sign in' : 'Password reset link'} created, valid until ${expiresAt}`,
  PasswordChanged: ({ by }) => `Password changed by ${by}`,
  NameChanged: () => 'Name changed',
  PhoneChanged: () => 'Phone changed',
  TimezoneChanged: (data) => changed('Time zone', data),
  NotificationEmailChanged: () => 'Notification address changed',
  NotificationEmailConfirmed: () => 'Notification address confirmed',
  NotificationDelayChanged: (data) => changed('Notification delay in minutes', data),
  ReportPeriodChanged: (data) => changed('Report period', data),
  ChannelSet: ({ channel, previousUntil }) =>
    `Channel ${nameOfChannel(channel)} set up${previousUntil === undefined ? '' : `, its former secret signs until ${previousUntil}`}`,
  PreviousSecretsEnded: ({ channel }) => `Former secrets of channel ${nameOfChannel(channel)} ended`,
  ChannelRemoved: ({ channel }) => `Channel ${nameOfChannel(channel)} removed`,
  PlanChanged: (data) => changed('Plan', data),
  SystemRoleChanged: ({ from, to, by }) =>
    `System role changed from ${shown(from)} to ${shown(to)}${by === 'provider' ? ' by the groups of the sign-in provider' : ''}`,
  IdentityLinked: ({ issuer }) => `Linked to a person of the sign-in provider ${issuer}`,
  IdentityUnlinked: ({ identityId }) => `Link ${identityId} to a sign-in provider removed`,
  TokenIssued: ({ tokenId, kind, expiresAt, newNetwork, byLink, scopes }) =>
    `${kind === 'login' ? `Signed in${byLink === true ? ' by a one-time link' : ''}${newNetwork === true ? ' from a new network' : ''}` : 'Access token created'} (${tokenId}, until ${expiresAt}${scopes === undefined ? '' : `, scopes ${scopes.join(', ')}`})`,
  TokenRevoked: ({ tokenId }) => `Token ${tokenId} revoked`,
  SecondFactorEnrolled: ({ kind }) => `Second factor begun: ${FACTORS[kind]}`,
  SecondFactorConfirmed: ({ kind }) => `Second factor added: ${FACTORS[kind]}`,
  SecondFactorRenamed: () => 'Second factor renamed',
  SecondFactorRemoved: ({ kind, by }) => `Second factor removed by ${by}: ${FACTORS[kind]}`,
  RecoveryCodesGenerated: ({ count }) => `${pluralized(count, 'recovery code')} generated`,
  RecoveryCodeUsed: ({ left }) => `Recovery code used, ${String(left)} left`,
  PasskeyCounterRegressed: ({ known, received }) =>
    `Passkey refused: its signature counter went from ${String(known)} to ${String(received)}`,
  AccountErased: ({ userId }) => `Account ${String(userId)} erased`,
} satisfies Sentences<AccountEvents>;

const accessed: Readonly<Record<AccessKind, string>> = {
  export: 'An export',
  statement: 'A statement',
  evidence: 'Evidence',
  proof: 'A proof',
  read: 'The record',
};

export const accessSentences = {
  RecordAccessed: ({ kind, day }) => `${accessed[kind]} was read on ${day}`,
  RecordAccessesCounted: ({ kind, day, count }) => `${accessed[kind]} was read ${pluralized(count, 'time')} on ${day}`,
} satisfies Sentences<AccessEvents>;
