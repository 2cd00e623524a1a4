import { isObject } from '../../kernel/is-object.ts';
import type { ImportFindings } from '../findings.ts';
import { labelOf, type Monitor } from '../monitor.ts';
import { noteMissing } from '../setting-rows.ts';
import type { ImportedRule } from '../imported-site.ts';
import type { SqliteRecord } from '../sqlite/sqlite-database.ts';
import { readStatusRange, type StatusRange, statusRules } from '../status-rules.ts';
import { jsonPathOf } from './gatus-condition.ts';
import { columnsOfOtherTypes, REASONS_FOR_SIGN_IN, reasonForType, uptimeKumaSettings } from './uptime-kuma-settings.ts';

/** `url` and rules; `real-browser` is fetched without one. */
const TYPES = new Set(['http', 'keyword', 'json-query', 'real-browser']);
const MOST_REDIRECTS = 10;

export interface KumaMonitor {
  readonly record: SqliteRecord;
  readonly path: readonly string[];
  readonly isPaused: boolean;
  /** The days before a certificate expires at which Kuma warns. */
  readonly certificateDays: number;
}

const textOf = (record: SqliteRecord, column: string): string => {
  const value = record[column];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};
const numberOf = (record: SqliteRecord, column: string): number => Number(textOf(record, column) || 0);

/** Null, with its reason among the findings, when a check cannot do the same. */
export function monitorOfKuma({ record, path, isPaused, certificateDays }: KumaMonitor, findings: ImportFindings): Monitor | null {
  const type = textOf(record, 'type');
  const name = textOf(record, 'name') || `monitor ${textOf(record, 'id')}`;
  const group = path.length === 0 ? undefined : { id: `group-${textOf(record, 'parent')}`, name: path.join(' / ') };
  const label = labelOf({ name, ...(group !== undefined && { group }) });
  const reason = reasonToLeaveOut(record, type);
  if (reason !== null) {
    findings.leaveOut(label, reason);
    return null;
  }
  noteMissing(label, ownSettings(record), uptimeKumaSettings, findings, 'monitor.');
  sayNearest(record, label, findings);
  const user = textOf(record, 'basic_auth_user');
  const interval = Math.max(1, numberOf(record, 'interval'));
  return {
    id: textOf(record, 'id'),
    name,
    url: textOf(record, 'url'),
    notice: textOf(record, 'description'),
    isPaused,
    ...(group !== undefined && { group }),
    everySeconds: interval,
    // Kuma's own rule for a timeout that is not set.
    timeoutSeconds: numberOf(record, 'timeout') || interval * 0.8,
    rules: [...statusRules(acceptedStatuses(record)), ...redirectRules(record), ...contentRules(record, type, label, findings)],
    method: textOf(record, 'method') || 'GET',
    headers: headersOf(record, label, findings),
    ...bodyOf(record),
    ...(textOf(record, 'auth_method') === 'basic' && { signIn: { user, password: textOf(record, 'basic_auth_pass') } }),
    ignoresRedirects: textOf(record, 'maxredirects') === '0',
    isIpv6Only: textOf(record, 'ip_family') === 'ipv6',
    ...(numberOf(record, 'expiry_notification') === 1 && { certificateDays }),
  };
}

function reasonToLeaveOut(record: SqliteRecord, type: string): string | null {
  if (!TYPES.has(type)) return reasonForType(type);
  if (numberOf(record, 'upside_down') === 1) return uptimeKumaSettings['monitor.upside_down']?.text ?? '';
  return REASONS_FOR_SIGN_IN[textOf(record, 'auth_method')] ?? null;
}

/** Without what Kuma sets in every monitor although another type has it. */
function ownSettings(record: SqliteRecord): SqliteRecord {
  const method = textOf(record, 'auth_method');
  const isOther = (column: string): boolean =>
    columnsOfOtherTypes.has(column) ||
    (column.startsWith('oauth_') && method !== 'oauth2-cc') ||
    (column.startsWith('tls_') && method !== 'mtls') ||
    (/^auth_(?:domain|workstation)$/.test(column) && method !== 'ntlm');
  return Object.fromEntries(Object.entries(record).filter(([column]) => !isOther(column)));
}

function sayNearest(record: SqliteRecord, label: string, findings: ImportFindings): void {
  const retries = numberOf(record, 'maxretries');
  if (retries > 1) findings.change(label, `${String(retries)} retries: one more run confirms each failure`);
  if (textOf(record, 'type') === 'real-browser') findings.change(label, 'real-browser: its address is fetched without a browser');
  if (textOf(record, 'ip_family') === 'ipv4') findings.miss(label, 'monitor.ip_family: a check cannot be IPv4 only');
  const redirects = numberOf(record, 'maxredirects');
  if (redirects > MOST_REDIRECTS) findings.change(label, `${String(redirects)} redirects: a check follows 10`);
}

const listIn = (text: string): readonly unknown[] => {
  const list = parsedJson(text);
  return Array.isArray(list) ? list : [];
};

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const acceptedStatuses = (record: SqliteRecord): readonly StatusRange[] =>
  listIn(textOf(record, 'accepted_statuscodes_json') || '["200-299"]').flatMap((code) => readStatusRange(String(code)) ?? []);

function redirectRules(record: SqliteRecord): readonly ImportedRule[] {
  const most = numberOf(record, 'maxredirects');
  return most > 0 && most < MOST_REDIRECTS ? [{ type: 'redirects', op: 'lte', val: String(most) }] : [];
}

function contentRules(record: SqliteRecord, type: string, label: string, findings: ImportFindings): readonly ImportedRule[] {
  if (type === 'keyword') {
    const op = numberOf(record, 'invert_keyword') === 1 ? '!sub' : 'sub';
    return [{ type: 'html', op, val: textOf(record, 'keyword') }];
  }
  if (type !== 'json-query') return [];
  const query = textOf(record, 'json_path');
  const path = jsonPathOfJsonata(query);
  const op = JSON_OPERATORS[textOf(record, 'json_path_operator') || '=='];
  if (path !== null && op !== undefined) return [{ type: `json:${path}`, op, val: textOf(record, 'expected_value') }];
  findings.miss(
    label,
    `monitor.json_path: ${query} ${textOf(record, 'json_path_operator')}: only paths of names and indexes have an equal`.replace(' :', ':'),
  );
  return [];
}

const JSON_OPERATORS: Readonly<Record<string, string>> = {
  '==': 'match',
  '!=': '!match',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  contains: 'sub',
};

/** A path of names and indexes; JSONata would also step through lists without an index. */
export function jsonPathOfJsonata(query: string): string | null {
  const path = query
    .trim()
    .replace(/^\$\.?/, '')
    .replaceAll('`', '');
  if (path === '') return '$';
  return /^[\w.[\]]+$/.test(path) ? jsonPathOf(path.startsWith('[') ? path : `.${path}`) : null;
}

function headersOf(record: SqliteRecord, label: string, findings: ImportFindings): readonly (readonly [string, string])[] {
  const text = textOf(record, 'headers');
  const headers = text === '' ? {} : parsedJson(text);
  if (!isObject(headers)) findings.miss(label, 'monitor.headers: they are not valid JSON');
  const given = isObject(headers) ? Object.entries(headers).map(([header, value]): [string, string] => [header, String(value)]) : [];
  const token = textOf(record, 'auth_method') === 'bearer' ? textOf(record, 'bearer_token') : '';
  return token === '' ? given : [['Authorization', `Bearer ${token}`], ...given];
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
};

function bodyOf(record: SqliteRecord): Pick<Monitor, 'body' | 'contentType'> {
  const body = textOf(record, 'body');
  const contentType = CONTENT_TYPES[textOf(record, 'http_body_encoding') || 'json'];
  return body.trim() === '' ? {} : { body, ...(contentType !== undefined && { contentType }) };
}
