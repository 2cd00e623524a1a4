import { createHash } from 'node:crypto';
import type { Keyring } from '../../security/keyring/keyring.ts';
import type { Sealed } from '../../kernel/event.ts';
import type { AreaRow } from '../../projections/read-models/area/area.view.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import type { HttpCredentials } from '../probe/http-authentication.ts';
import { readExtraHeaders } from '../probe/extra-headers.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import { type ProbeRequest, readProbeOptions } from '../probe/probe-request.ts';
import type { ProbeSession } from '../probe/probe-session.ts';
import type { Rule } from '../rules/rule.ts';
import { isUrl } from '../../kernel/url.ts';

/** A rule with the name that tells it from others in a verdict: who it belongs to and what it says, not where it stands. */
export interface NamedRule extends Rule {
  readonly name: string;
}

/** The group's rules come before the check's own (docs/spec/decisions.md#T7). */
export function rulesOf(area: AreaRow | undefined, check: CheckRow): readonly NamedRule[] {
  const group = (area?.settings.rules ?? []).flat().map((rule) => named('group', rule as Rule));
  return [...group, ...check.settings.rules.map((rule) => named('own', rule))];
}

function named(owner: 'group' | 'own', { type, op, val }: Rule): NamedRule {
  const hash = createHash('sha256').update(val).digest('hex').slice(0, 8);
  return { type, op, val, name: `${owner} ${type} ${op} ${hash}` };
}

export const checkUrl = (project: ProjectRow, check: CheckRow): string =>
  isUrl(check.settings.url, project.settings.url) ? new URL(check.settings.url, project.settings.url).href : check.settings.url;

/** What a group adds to whatever is asked for it. */
export async function groupRequest(
  { settings }: ProjectRow,
  area: AreaRow | undefined,
  keyring: Pick<Keyring, 'open'>,
): Promise<{ readonly headers: readonly HeaderLine[]; readonly credentials?: HttpCredentials }> {
  const auth = area?.settings.httpAuth;
  const [headers, password] = await Promise.all([opened(area?.settings.headers, keyring), opened(auth?.password, keyring)]);
  return {
    headers: headersIn(headers),
    ...(auth ? { credentials: { url: auth.url === '' ? settings.url : auth.url, user: auth.user, password } } : {}),
  };
}

/** Those of a group and of its check by themselves: so they were held against the bounds when they were saved. */
function headersIn(text: string): readonly HeaderLine[] {
  const read = readExtraHeaders(text);
  return read.ok ? read.headers : [];
}

/** What is sent: secrets are opened here, at the last moment. */
export async function requestOf(
  project: ProjectRow,
  area: AreaRow | undefined,
  check: CheckRow,
  keyring: Keyring,
  session?: ProbeSession,
): Promise<ProbeRequest> {
  const [group, own] = await Promise.all([groupRequest(project, area, keyring), opened(check.settings.options.w, keyring)]);
  return {
    url: checkUrl(project, check),
    timeoutMs: project.settings.timeout * 1000,
    userAgent: project.settings.userAgent,
    options: readProbeOptions(check.settings.options),
    ...group,
    headers: [...group.headers, ...headersIn(own)],
    ...(session === undefined ? {} : { session }),
  };
}

const opened = async (sealed: Sealed | null | undefined, keyring: Pick<Keyring, 'open'>): Promise<string> =>
  sealed ? ((await keyring.open(sealed)) ?? '') : '';
