import type { AccountEvents } from '../../../domain/account/account.events.ts';
import type { SystemEvents } from '../../../domain/system/system.events.ts';
import { changed, type Sentences, shown } from './sentence.ts';

export const accountSentences = {
  AccountOpened: ({ userId, by }) => `Account ${String(userId)} opened by ${by}`,
  AccountOpeningAbandoned: () => 'An opening that nobody finished was given up',
  ConfirmationOffered: ({ expiresAt }) => `A link to confirm the address was made, good until ${expiresAt}`,
  EmailConfirmed: ({ by }) => `E-mail address confirmed by ${by}`,
  PasswordResetOffered: ({ expiresAt }) => `A link to set a new password was made, good until ${expiresAt}`,
  PasswordChanged: ({ by }) => `Password changed by ${by}`,
  NameChanged: () => 'Name changed',
  PhoneChanged: () => 'Phone changed',
  TimezoneChanged: (data) => changed('Time zone', data),
  NotificationEmailChanged: () => 'Address for notifications changed',
  NotificationDelayChanged: (data) => changed('Delay of notifications in minutes', data),
  ReportPeriodChanged: (data) => changed('Period of reports', data),
  ChannelSet: ({ channel }) => `Channel ${channel} set up`,
  ChannelRemoved: ({ channel }) => `Channel ${channel} removed`,
  PlanChanged: (data) => changed('Plan', data),
  SystemRoleChanged: ({ from, to }) => `System role changed from ${shown(from)} to ${shown(to)}`,
  TokenIssued: ({ tokenId, kind, expiresAt }) => `${kind === 'login' ? 'Signed in' : 'Access token made'} (${tokenId}, until ${expiresAt})`,
  TokenRevoked: ({ tokenId }) => `Token ${tokenId} revoked`,
  AccountErased: ({ userId }) => `Account ${String(userId)} erased`,
} satisfies Sentences<AccountEvents>;

export const systemSentences = {
  EventVoided: ({ n, reason }) => `Event ${String(n)} is passed over from here on: ${reason}`,
  ProjectionEventSkipped: ({ n, projection, version, reason }) =>
    `Projection ${projection}, version ${String(version)}, passes over event ${String(n)}: ${reason}`,
  LogTruncated: ({ from, to, reason }) => `An operator declared the log truncated from ${String(from)} to ${String(to)}: ${reason}`,
} satisfies Sentences<SystemEvents>;
