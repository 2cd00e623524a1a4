import { settingEvents } from '../../projects/project.events.ts';
import { settingRows } from '../../projects/project.settings.ts';
import type { GlyphState } from '../parts/glyph-state.ts';

/** What a person searches for in a history. */
export const FILTERS = {
  main: 'Main events',
  failures: 'Failures',
  changes: 'Changes',
  alerts: 'Alerts',
  all: 'Everything',
} as const;
export type Filter = keyof typeof FILTERS;

const words = (text: string): readonly string[] => text.split(/\s+/);

const FAILURES = words(
  `CheckPassed CheckFailed CheckFailureChanged CheckRecovered CheckInstabilityOpened CheckInstabilityClosed CheckSkipped CheckResumed
  UptimeBegan UptimeWentDown UptimeFailureChanged UptimeWentUp UptimeInstabilityOpened UptimeInstabilityClosed
  CertificateSeen CertificateDistrusted CertificateExpiryApproached CertificateExpiryReceded
  CertificateExpired CertificateLookFailed
  RedirectVerified RedirectFailed RedirectUnreachable`,
);
const ALERTS = words('NotificationRequested NotificationDelivered NotificationGivenUp');
const SETTINGS = words(
  `ProjectCreated ProjectTransferred ProjectDeleted
  MemberInvited InvitationAccepted InvitationDeclined MemberAdded MemberRoleChanged MemberRemoved ServiceAccountCreated
  ServiceAccountRoleChanged ServiceAccountDeleted ServiceTokenIssued ServiceTokenRevoked
  AreaCreated AreaRenamed AreaVisibilityChanged AreaRulesChanged AreaFormChanged AreaSignInChanged AreaPeriodChanged AreaHeadersChanged
  AreaDeleted CheckCreated CheckRenamed CheckUrlChanged CheckSwitched CheckNoticeChanged CheckTypeChanged CheckRulesChanged
  CheckOptionsChanged CheckTemplateChanged CheckMoved CheckDeleted CheckCorrected BadgePublished BadgeWithdrawn ObjectiveSet
  ObjectiveRemoved UptimeImported ImportedUptimeRemoved StatementIssued MaintenanceScheduled MaintenanceCancelled DestinationAdded DestinationChanged DestinationPaused
  DestinationResumed DestinationReplayed DestinationRemoved`,
);
const RARE_CHANGES = words(
  `AreaKeyChanged CheckKeyChanged
  TransferOffered TransferDeclined TransferWithdrawn TransferExpired InvitationRoleChanged
  InvitationWithdrawn InvitationExpired ServiceAccountRenamed NotificationSeverityChanged NotificationChannelSwitched`,
);

/** Changes of settings of a project, the minor ones apart. */
const ofProject = (isMinor: boolean): readonly string[] =>
  settingRows.filter(([, row]) => (row.isMinor === true) === isMinor).map(([name]) => settingEvents[name]);

/** The types that the service is asked for; null: all of them. Routine, such as the closing of a day, is among all alone. */
export const typesOf: Readonly<Record<Filter, readonly string[] | null>> = {
  main: [...FAILURES, ...ALERTS, ...SETTINGS, ...ofProject(false)],
  failures: FAILURES,
  changes: [...SETTINGS, ...ofProject(false), ...RARE_CHANGES, ...ofProject(true)],
  alerts: ALERTS,
  all: null,
};

/** Failing, well again, or nothing to show by a shape. */
export function glyphOfEvent(type: string): GlyphState | null {
  if (
    /^(CheckFailed|CheckFailureChanged|UptimeWentDown|UptimeFailureChanged|CertificateExpired|CertificateDistrusted|RedirectFailed)$/.test(
      type,
    )
  )
    return 'failing';
  if (/^(CheckPassed|CheckRecovered|UptimeWentUp|UptimeBegan|RedirectVerified)$/.test(type)) return 'working';
  if (/^(CertificateExpiryApproached|RedirectUnreachable|CertificateLookFailed)$/.test(type)) return 'warning';
  return type.startsWith('Maintenance') ? 'maintenance' : null;
}

/** Events with a measurement behind them. */
export const hasEvidence = (type: string): boolean =>
  /^(Check(Passed|Suspected|SuspicionCleared|Failed|FailureChanged|Recovered)|Uptime(Began|Suspected|SuspicionCleared|WentDown|FailureChanged|WentUp)|Certificate(Seen|LookFailed|Distrusted)|Redirect(Verified|Failed|Unreachable))$/.test(
    type,
  );
