import type { EntriesOf } from '../kernel/catalogue.ts';
import type { Change } from '../kernel/change.ts';
import type { Sealed } from '../kernel/event.ts';
import type { Period, ProjectSettings } from './project.settings.ts';
import type { RoleId, ServiceRole } from '../accounts/rights/roles.ts';
import type { TokenScope } from '../accounts/token-scopes.ts';

export interface ProjectEvents {
  ProjectCreated: {
    readonly projectId: string;
    readonly payerId: number;
    readonly settings: ProjectSettings;
    readonly apiKey: Sealed;
    readonly preset: boolean;
    /** Kept as given (docs/spec/decisions.md#P11). */
    readonly aiSuggestions?: unknown;
  };
  ProjectRenamed: Change<string>;
  ProjectUrlChanged: Change<string>;
  PeriodChanged: Change<Period>;
  UptimeUrlChanged: Change<string>;
  UptimePeriodChanged: Change<ProjectSettings['uptimePeriod']>;
  LocationChanged: Change<string>;
  DefaultErrorsSwitched: Change<boolean>;
  UserAgentChanged: Change<string>;
  TimeoutChanged: Change<number>;
  DelayChanged: Change<number>;
  CertificateAlertPeriodChanged: Change<number>;
  RedirectWatchSwitched: Change<boolean>;
  WebPushSwitched: Change<boolean>;
  SecurityMonitoringSwitched: Change<boolean>;
  ProjectTagsChanged: Change<readonly string[]>;
  /** The key by which site files name the project (docs/spec/beyond.md#B10). */
  ProjectKeyChanged: Change<string | null>;
  /** The software behind the homepage was detected (docs/spec/decisions.md#P10). */
  HomepageInspected: { readonly isWordPress: boolean };
  /** `to` is what the owner typed: an account may or may not have this number. */
  TransferOffered: { readonly transferId: string; readonly to: number; readonly expiresAt: string };
  TransferDeclined: { readonly transferId: string };
  TransferWithdrawn: { readonly transferId: string };
  TransferExpired: { readonly transferId: string };
  /** The receiver has accepted the offer. */
  ProjectTransferred: Change<number>;
  ProjectDeleted: { readonly title: string; readonly url: string };
  /** A tombstone that fences off a late creation, whose claim was given to another project. */
  ProjectCreationAbandoned: { readonly claim: string };
  /** An address is invited, or invited again with another role or expiry. The address itself stands beside the log, until the invitation ends. */
  MemberInvited: { readonly invitationId: string; readonly role: RoleId; readonly by: number; readonly expiresAt: string };
  InvitationRoleChanged: Change<RoleId> & { readonly invitationId: string };
  InvitationAccepted: { readonly invitationId: string; readonly userId: number };
  InvitationDeclined: { readonly invitationId: string };
  InvitationWithdrawn: { readonly invitationId: string };
  InvitationExpired: { readonly invitationId: string };
  MemberAdded: { readonly userId: number; readonly role: RoleId };
  MemberRoleChanged: Change<RoleId> & { readonly userId: number };
  MemberRemoved: { readonly userId: number };
  /** A program that acts by tokens alone: in this project with a role of it, or, in a stream of the installation, with a system role. */
  ServiceAccountCreated: { readonly serviceAccountId: string; readonly name: string; readonly role: ServiceRole };
  ServiceAccountRenamed: Change<string> & { readonly serviceAccountId: string };
  ServiceAccountRoleChanged: Change<ServiceRole> & { readonly serviceAccountId: string };
  /** Its tokens end with it. */
  ServiceAccountDeleted: { readonly serviceAccountId: string; readonly name: string };
  /** Never its value. */
  ServiceTokenIssued: {
    readonly serviceAccountId: string;
    readonly tokenId: string;
    readonly name: string;
    readonly expiresAt: string;
    /** What a narrowed token may do at most. */
    readonly scopes?: readonly TokenScope[];
    /** The networks that a narrowed token may be used from, a list as JSON, sealed with the key of the project or of the installation. */
    readonly addresses?: Sealed;
  };
  ServiceTokenRevoked: { readonly serviceAccountId: string; readonly tokenId: string };
}

/** The event that says that a setting changed. */
export const settingEvents = {
  title: 'ProjectRenamed',
  url: 'ProjectUrlChanged',
  period: 'PeriodChanged',
  uptimeUrl: 'UptimeUrlChanged',
  uptimePeriod: 'UptimePeriodChanged',
  location: 'LocationChanged',
  checkDefaultErrors: 'DefaultErrorsSwitched',
  userAgent: 'UserAgentChanged',
  timeout: 'TimeoutChanged',
  delay: 'DelayChanged',
  sslAlertPeriod: 'CertificateAlertPeriodChanged',
  httpsRedirectEnabled: 'RedirectWatchSwitched',
  webPushEnabled: 'WebPushSwitched',
  securityMonitoringEnabled: 'SecurityMonitoringSwitched',
  tags: 'ProjectTagsChanged',
  key: 'ProjectKeyChanged',
} as const satisfies Readonly<Record<keyof ProjectSettings, keyof ProjectEvents>>;
export type SettingEventType = (typeof settingEvents)[keyof ProjectSettings];

export const projectEvents = {
  ProjectCreated: { version: 1 },
  ProjectRenamed: { version: 1 },
  ProjectUrlChanged: { version: 1 },
  PeriodChanged: { version: 1 },
  UptimeUrlChanged: { version: 1 },
  UptimePeriodChanged: { version: 1 },
  LocationChanged: { version: 1 },
  DefaultErrorsSwitched: { version: 1 },
  UserAgentChanged: { version: 1 },
  TimeoutChanged: { version: 1 },
  DelayChanged: { version: 1 },
  CertificateAlertPeriodChanged: { version: 1 },
  RedirectWatchSwitched: { version: 1 },
  WebPushSwitched: { version: 1 },
  SecurityMonitoringSwitched: { version: 1 },
  ProjectTagsChanged: { version: 1 },
  ProjectKeyChanged: { version: 1 },
  HomepageInspected: { version: 1 },
  TransferOffered: { version: 1 },
  TransferDeclined: { version: 1 },
  TransferWithdrawn: { version: 1 },
  TransferExpired: { version: 1 },
  ProjectTransferred: { version: 1 },
  ProjectDeleted: { version: 1 },
  ProjectCreationAbandoned: { version: 1, visibility: 'internal' },
  MemberInvited: { version: 1 },
  InvitationRoleChanged: { version: 1 },
  InvitationAccepted: { version: 1 },
  InvitationDeclined: { version: 1 },
  InvitationWithdrawn: { version: 1 },
  InvitationExpired: { version: 1 },
  MemberAdded: { version: 1 },
  MemberRoleChanged: { version: 1 },
  MemberRemoved: { version: 1 },
  ServiceAccountCreated: { version: 1 },
  ServiceAccountRenamed: { version: 1 },
  ServiceAccountRoleChanged: { version: 1 },
  ServiceAccountDeleted: { version: 1 },
  ServiceTokenIssued: { version: 1 },
  ServiceTokenRevoked: { version: 1 },
} satisfies EntriesOf<ProjectEvents>;
