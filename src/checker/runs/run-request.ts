import { createHash } from 'node:crypto';
import type { WorkSource } from '../../kernel/concurrency-limit.ts';
import { headersFor, readBoundHeaders } from '../../projects/checks/bound-headers.ts';
import type { Sealed } from '../../kernel/event.ts';
import { shortened } from '../../kernel/text.ts';
import { isUrl } from '../../kernel/url.ts';
import { canonicalJson } from '../../client/proofs/canonical-json.ts';
import type { AreaRow } from '../../projects/areas/area.view.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import { readExtraHeaders } from '../../projects/checks/extra-headers.ts';
import type { HttpCredentials } from '../probe/http-authentication.ts';
import type { HeaderLine } from '../probe/outcome.ts';
import { type ProbeRequest, readProbeOptions } from '../probe/probe-request.ts';
import type { ProbeSession } from '../probe/probe-session.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import type { RuleCondition } from '../rules/rule.ts';
import { bodyWith, headersWith, urlWith, type Values } from '../steps/placeholders.ts';

/** The name identifies a rule in verdicts by owner and content, so that moving a rule does not change it. */
export interface NamedRule extends RuleCondition {
  readonly name: string;
  readonly owner: RuleOwner;
}

type RuleOwner = 'group' | 'own';

/** The rules of the area come before those of the check (docs/spec/decisions.md#T7). */
export function namedRules(area: AreaRow | undefined, check: CheckRow): readonly NamedRule[] {
  // Validated when they were saved; the event declares plain strings.
  const ofArea = (area?.settings.rules ?? []).flat().map((rule) => named('group', rule as RuleCondition));
  return [...ofArea, ...check.settings.rules.map((rule) => named('own', rule))];
}

/** The most characters of a type, such as a long JSONPath, in a name: events list the names of all rules that failed. */
const MAX_NAMED = 60;

const named = (owner: RuleOwner, { type, op, val }: RuleCondition): NamedRule => {
  const rule = { owner, type, op, val };
  return { ...rule, name: nameOfRule(rule) };
};

export function nameOfRule({
  owner,
  type,
  op,
  val,
}: {
  readonly owner: RuleOwner;
  readonly type: string;
  readonly op: string;
  readonly val: string;
}): string {
  const hash = createHash('sha256')
    .update(type.length > MAX_NAMED ? `${type} ${val}` : val)
    .digest('hex')
    .slice(0, 8);
  return `${owner} ${shortened(type, MAX_NAMED)} ${op} ${hash}`;
}

/** A hash of what decides which page a check gets: of another request nothing is expected (docs/spec/decisions.md#T20). */
export function requestHash(project: ProjectRow, area: AreaRow | undefined, check: CheckRow): string {
  const { headers = null, httpAuth = null, form = null } = area?.settings ?? {};
  const { identifier = '', baseUrl = '', params = null, enabled = false } = form ?? {};
  const signIn = enabled ? { identifier, baseUrl, params } : null;
  const request = [checkUrl(project, check), check.settings.options, project.settings.userAgent, { headers, httpAuth, signIn }];
  return createHash('sha256')
    .update(canonicalJson(request, { loneSurrogates: 'escape' }))
    .digest('hex');
}

export const checkUrl = (project: ProjectRow, check: CheckRow): string =>
  isUrl(check.settings.url, project.settings.url) ? new URL(check.settings.url, project.settings.url).href : check.settings.url;

/** The headers and credentials that an area adds to a request for `url`. */
export async function areaRequest(
  { settings }: ProjectRow,
  area: AreaRow | undefined,
  url: string,
  keyring: Pick<Keyring, 'open'>,
): Promise<{ readonly headers: readonly HeaderLine[]; readonly credentials?: HttpCredentials }> {
  const auth = area?.settings.httpAuth;
  const [headers, password] = await Promise.all([opened(area?.settings.headers, keyring), opened(auth?.password, keyring)]);
  return {
    headers: headersIn(headers, url, settings.url),
    ...(auth ? { credentials: { url: auth.url === '' ? settings.url : auth.url, user: auth.user, password } } : {}),
  };
}

/** The limits were checked when the headers were saved, for area and check separately, so they are parsed separately too. */
function headersIn(text: string, url: string, projectUrl: string): readonly HeaderLine[] {
  const read = readExtraHeaders(headersFor(url, readBoundHeaders(text, projectUrl)));
  return read.ok ? read.headers : [];
}

/** The runs of a job yield to scheduled ones. */
export const runSource = ({ project }: Pick<WatchedProject, 'project'>, jobId: string | null): WorkSource => ({
  account: project.payerId,
  isOnDemand: jobId !== null,
});

export interface RequestOptions {
  readonly session?: ProbeSession;
  /** The values of earlier steps, for the placeholders of the check. */
  readonly values?: Values;
}

/** The request of a run; secrets are decrypted here, as late as possible. Throws `UnusableValue`. */
export async function requestOf(
  project: ProjectRow,
  area: AreaRow | undefined,
  check: CheckRow,
  keyring: Keyring,
  { session, values = new Map() }: RequestOptions = {},
): Promise<ProbeRequest> {
  const url = urlWith(check.settings.url, project.settings.url, values);
  const { w, body, method, contentType = '' } = check.settings.options;
  const [ofArea, ofCheck, ofBody] = await Promise.all([
    areaRequest(project, area, url, keyring),
    opened(w, keyring),
    opened(body, keyring),
  ]);
  const headers = [...ofArea.headers, ...headersWith(headersIn(ofCheck, url, project.settings.url), values)];
  const type = contentType === '' ? (headers.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '') : contentType;
  const bytes = Buffer.from(bodyWith(headersFor(url, readBoundHeaders(ofBody, project.settings.url)), type, values));
  return {
    url,
    timeoutMs: project.settings.timeout * 1000,
    userAgent: project.settings.userAgent,
    options: readProbeOptions(check.settings.options),
    ...ofArea,
    headers,
    ...(method === undefined ? {} : { method }),
    ...(bytes.length === 0 ? {} : { body: { contentType, bytes } }),
    ...(session === undefined ? {} : { session }),
  };
}

const opened = async (sealed: Sealed | null | undefined, keyring: Pick<Keyring, 'open'>): Promise<string> =>
  sealed ? ((await keyring.open(sealed)) ?? '') : '';
