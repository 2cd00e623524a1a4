import type { FactorKind, ReportPeriod, SystemRole } from './account.settings.ts';
import type { SealedLimits } from './token-scopes.ts';
import type { Sealed } from '../kernel/event.ts';
import { integerColumn } from '../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../platform/http/conditions/thing.ts';
import type { AddressedChannel } from './account.events.ts';
import type { Account } from './account.state.ts';

export interface PersonalToken extends SealedLimits {
  readonly tokenId: string;
  readonly name: Sealed | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A second factor that is in force. */
export interface KnownFactor {
  readonly factorId: string;
  readonly kind: FactorKind;
  readonly name: Sealed;
  readonly createdAt: string;
}

/** An identity at a sign-in provider. */
export interface LinkedIdentity {
  readonly identityId: string;
  readonly issuer: string;
  readonly subject: Sealed;
  readonly linkedAt: string;
}

export interface AccountRow {
  readonly userId: number;
  readonly email: Sealed;
  readonly name: Sealed;
  readonly apiKey: Sealed;
  readonly phone: Sealed | null;
  readonly timezone: string;
  readonly notificationEmail: Sealed | null;
  /** Confirmed by the link that was mailed to it; nothing is sent to other addresses (docs/spec/decisions.md#A8). */
  readonly notificationEmailTrusted: boolean;
  /** Minutes. */
  readonly notificationDelay: number;
  readonly reportPeriod: ReportPeriod;
  readonly plan: string;
  readonly systemRole: SystemRole | null;
  readonly identities: readonly LinkedIdentity[];
  readonly confirmed: boolean;
  /** Expiry of the last confirmation link; the opening of the account if there was none. */
  readonly confirmationEndsAt: string;
  /** Not revoked, but possibly expired. */
  readonly personalTokens: readonly PersonalToken[];
  readonly secondFactors: readonly KnownFactor[];
  /** Null without a factor. */
  readonly recoveryCodes: { readonly generatedAt: string; readonly left: number } | null;
  readonly createdAt: string;
}

const change = (row: AccountRow | null, given: Partial<AccountRow>): AccountRow | null => row && { ...row, ...given };

export const accountView = defineView<AccountRow>()({
  name: 'account',
  version: 4,
  scope: 'account',
  key: scopeId,
  on: {
    AccountOpened: (_, { data, meta }) => ({
      userId: data.userId,
      email: data.email,
      name: data.name,
      apiKey: data.apiKey,
      phone: null,
      timezone: 'UTC',
      notificationEmail: null,
      notificationEmailTrusted: false,
      notificationDelay: 0,
      reportPeriod: 'week',
      plan: data.plan,
      systemRole: data.systemRole,
      identities: [],
      confirmed: data.confirmed,
      confirmationEndsAt: meta.occurredAt,
      personalTokens: [],
      secondFactors: [],
      recoveryCodes: null,
      createdAt: meta.occurredAt,
    }),
    ConfirmationOffered: (row, { data }) => change(row, { confirmationEndsAt: data.expiresAt }),
    EmailConfirmed: (row) => change(row, { confirmed: true }),
    PasswordChanged: (row) => change(row, { personalTokens: [] }),
    NameChanged: (row, { data }) => change(row, { name: data.to }),
    PhoneChanged: (row, { data }) => change(row, { phone: data.to }),
    TimezoneChanged: (row, { data }) => change(row, { timezone: data.to }),
    NotificationEmailChanged: (row, { data }) => change(row, { notificationEmail: data.to, notificationEmailTrusted: false }),
    NotificationEmailConfirmed: (row) => change(row, { notificationEmailTrusted: true }),
    NotificationDelayChanged: (row, { data }) => change(row, { notificationDelay: data.to }),
    ReportPeriodChanged: (row, { data }) => change(row, { reportPeriod: data.to }),
    PlanChanged: (row, { data }) => change(row, { plan: data.to }),
    SystemRoleChanged: (row, { data }) => change(row, { systemRole: data.to }),
    IdentityLinked: (row, { data: { identityId, issuer, subject }, meta }) =>
      row && { ...row, identities: [...row.identities, { identityId, issuer, subject, linkedAt: meta.occurredAt }] },
    IdentityUnlinked: (row, { data }) =>
      row && { ...row, identities: row.identities.filter(({ identityId }) => identityId !== data.identityId) },
    TokenIssued: (row, { data: { kind, tokenId, name, expiresAt, scopes = null, projects = null, addresses = null }, meta }) =>
      kind === 'login'
        ? row
        : row && {
            ...row,
            personalTokens: [...row.personalTokens, { tokenId, name, createdAt: meta.occurredAt, expiresAt, scopes, projects, addresses }],
          },
    TokenRevoked: (row, { data }) =>
      row && { ...row, personalTokens: row.personalTokens.filter(({ tokenId }) => tokenId !== data.tokenId) },
    SecondFactorConfirmed: (row, { data: { factorId, kind, name }, meta }) =>
      row && { ...row, secondFactors: [...row.secondFactors, { factorId, kind, name, createdAt: meta.occurredAt }] },
    SecondFactorRenamed: (row, { data: { factorId, to } }) =>
      row && {
        ...row,
        secondFactors: row.secondFactors.map((factor) => (factor.factorId === factorId ? { ...factor, name: to } : factor)),
      },
    SecondFactorRemoved: (row, { data }) => {
      const secondFactors = row?.secondFactors.filter(({ factorId }) => factorId !== data.factorId) ?? [];
      return row && { ...row, secondFactors, recoveryCodes: secondFactors.length === 0 ? null : row.recoveryCodes };
    },
    RecoveryCodesGenerated: (row, { data, meta }) => change(row, { recoveryCodes: { generatedAt: meta.occurredAt, left: data.count } }),
    RecoveryCodeUsed: (row, { data }) => row && { ...row, recoveryCodes: row.recoveryCodes && { ...row.recoveryCodes, left: data.left } },
    AccountErased: () => null,
  },
  columns: {
    number: integerColumn(({ userId }: AccountRow) => userId),
  },
});

/** What its owner may change of an account; texts are sealed. */
interface TaggedProfile {
  readonly name: object;
  readonly phone: object | null;
  readonly timezone: string;
  readonly notificationEmail: object | null;
  readonly notificationDelay: number;
  readonly reportPeriod: string;
}

export const accountTag = (
  userId: number,
  { name, phone, timezone, notificationEmail, notificationDelay, reportPeriod }: TaggedProfile,
): string => settingsTag('account', String(userId), { name, phone, timezone, notificationEmail, notificationDelay, reportPeriod });

export const accountTagIn = (account: Account): string | null =>
  account.kind === 'open' ? accountTag(account.userId, account.profile) : null;

export const accountThing: Thing = {
  name: 'account',
  row: ({ userId }) =>
    thingRow(
      accountView,
      String(userId),
      existing((row) => accountTag(userId, row)),
    ),
};

/** `values`: addresses and keys, sealed; of the channel `email` the notification address. */
export const channelTag = (userId: number, channel: string, values: object | null): string =>
  settingsTag('channel', `${String(userId)} ${channel}`, values);

export function channelTagIn(channel: AddressedChannel | 'email', account: Account): string | null {
  if (account.kind !== 'open') return null;
  const values = channel === 'email' ? account.profile.notificationEmail : (account.channels.get(channel) ?? null);
  return channelTag(account.userId, channel, values);
}
