import type { GlyphState } from '../parts/glyph-state.ts';

/** What a person looks for in a history. */
export const FILTERS = {
  all: 'Everything',
  failures: 'Failures',
  changes: 'Changes',
  alerts: 'Alerts',
} as const;
export type Filter = keyof typeof FILTERS;

const PATTERNS: Readonly<Record<Exclude<Filter, 'all'>, RegExp>> = {
  failures:
    /^(Check(Passed|Failed|FailureChanged|Recovered)|Uptime(Began|WentDown|FailureChanged|WentUp)|Certificate(Expired|Distrusted|LookFailed|ExpiryApproached)|Redirect(Failed|Unreachable|Verified))$/,
  alerts: /^(Notification|Delivery|Report|Channel)/,
  changes:
    /^(?!Notification|Delivery|Uptime|Certificate|Redirect|Run|Job|Check(Passed|Failed|FailureChanged|Recovered|Suspected|SuspicionCleared|Instability|Skipped))/,
};

export const isShownBy = (filter: Filter, type: string): boolean => filter === 'all' || PATTERNS[filter].test(type);

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
