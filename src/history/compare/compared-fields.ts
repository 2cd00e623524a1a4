import { type AreaSettings, emptyForm } from '../../projects/areas/area.settings.ts';
import type { CheckSettings } from '../../projects/checks/check.settings.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { AreaRow } from '../../projects/areas/area.view.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import type { ServiceAccountsRow } from '../../projects/service-accounts/service-account.view.ts';
import { projectStatus } from '../../projects/standing.view.ts';
import type { VerdictRow } from '../../checker/verdicts/verdict.view.ts';
import { unixSeconds } from '../../platform/http/presentation/answers.ts';
import { presentProject } from '../../projects/project.presenter.ts';
import { presentFacts } from '../../watches/project-facts.ts';
import type { ComparedFields } from './diff.ts';
import type { ProjectState } from './project-state.ts';

/** Not compared: duplicates, secrets, and values that depend on measurements and the clock alone. */
const EXCLUDED = new Set(['id', 'name', 'apiKey', 'userIds', 'sslDaysLeft', 'httpsRedirectCheckedAt']);

/** Fields of events that may name a new user. */
const USER_FIELDS = new Set(['userId', 'payerId', 'to']);

/** Every path that the state holds. */
export const allPaths = ({ project, areas, checks, serviceAccounts }: ProjectState): readonly string[] => [
  'project',
  ...project.all().flatMap(({ members }) => members.map(({ userId }) => `users/${String(userId)}`)),
  ...servicesIn(serviceAccounts.all()),
  ...areas.keys().map((id) => `areas/${id}`),
  ...checks.keys().map((id) => `tests/${id}`),
];

/** The paths that an event may change. */
export function touchedPaths(state: ProjectState, event: LogEvent): readonly string[] {
  const { project, areas, checks, verdicts, certificate, redirect, standing, serviceAccounts } = state;
  const [area, check] = [areas.keyOf(event), checks.keyOf(event) ?? verdicts.keyOf(event)];
  const ofProject = [project, certificate, redirect, standing].some((rows) => rows.keyOf(event) !== null);
  return [
    ...(ofProject ? ['project'] : []),
    ...(project.keyOf(event) === null ? [] : usersIn(state, event)),
    ...(serviceAccounts.keyOf(event) === null ? [] : servicesTouched(state, event)),
    ...(area === null ? [] : [`areas/${area}`]),
    ...(check === null ? [] : [`tests/${check}`]),
  ];
}

/** The current members, and users that the event adds. */
function usersIn({ project }: ProjectState, { data }: LogEvent): readonly string[] {
  const ids = project.all().flatMap(({ members }) => members.map(({ userId }) => userId));
  const added = Object.entries(data).flatMap(([name, value]): unknown[] => (USER_FIELDS.has(name) ? [value] : []));
  return [...new Set([...ids, ...added.filter((id) => typeof id === 'number')])].map((id) => `users/${String(id)}`);
}

const servicesIn = (rows: readonly ServiceAccountsRow[]): readonly string[] =>
  rows.flatMap(({ accounts }) => accounts.map(({ id }) => `service-accounts/${id}`));

/** The one that the event names, else all of them. */
const servicesTouched = ({ serviceAccounts }: ProjectState, { data }: LogEvent): readonly string[] =>
  'serviceAccountId' in data ? [`service-accounts/${String(data.serviceAccountId)}`] : servicesIn(serviceAccounts.all());

/** The objects at these paths with the field names of the API; `now`: the clock at that instant. */
export function readFields(state: ProjectState, paths: readonly string[], now: number): ReadonlyMap<string, ComparedFields> {
  const [project = null] = state.project.all();
  return new Map(
    paths.flatMap((path) => {
      const fields = fieldsOf(state, project, path, now);
      return fields === null ? [] : [[path, fields] as const];
    }),
  );
}

function fieldsOf(state: ProjectState, project: ProjectRow | null, path: string, now: number): ComparedFields | null {
  const [kind = '', id = ''] = path.split('/', 2);
  if (kind === 'areas') return ofArea(state.areas.get(id));
  if (kind === 'tests') return ofCheck(state.checks.get(id), state.verdicts.get(id));
  if (kind === 'service-accounts') return ofServiceAccount(state.serviceAccounts.all(), id);
  if (project === null) return null;
  return kind === 'users' ? ofMember(project, Number(id)) : ofProject(state, project, now);
}

function ofProject(state: ProjectState, row: ProjectRow, now: number): ComparedFields {
  const redirect = state.redirect.get(row.id);
  const found = {
    status: projectStatus(state.standing.all()),
    certificate: state.certificate.get(row.id),
    redirect: redirect === null ? null : { ...redirect, checkedAt: redirect.since },
  };
  const presented = presentProject({ id: row.id, row, facts: presentFacts(row, found, now), apiKey: '' });
  return Object.fromEntries(Object.entries(presented).filter(([name]) => !EXCLUDED.has(name)));
}

function ofMember({ members, payerId }: ProjectRow, userId: number): ComparedFields | null {
  const member = members.find((other) => other.userId === userId);
  return member === undefined ? null : { role: member.role, isPayer: payerId === userId };
}

function ofServiceAccount(rows: readonly ServiceAccountsRow[], id: string): ComparedFields | null {
  const account = rows.flatMap(({ accounts }) => accounts).find((other) => other.id === id);
  if (account === undefined) return null;
  return { name: account.name, role: account.role, tokens: account.tokens.map(({ name, tokenId }) => `${name} (${tokenId})`) };
}

const ofArea = (row: AreaRow | null): ComparedFields | null => row && areaFields(row.settings);

export function areaFields({ headers, form, httpAuth, ...rest }: AreaSettings): ComparedFields {
  return {
    ...rest,
    form: form ?? emptyForm,
    httpAuth: httpAuth ?? { user: '', password: null, url: '' },
    options: { w: headers ?? '' },
  };
}

function ofCheck(row: CheckRow | null, verdict: VerdictRow | null): ComparedFields | null {
  if (row === null) return null;
  const fields = checkFields(row.settings);
  return {
    ...fields,
    areaId: row.areaId,
    status: {
      status: row.settings.enabled ? (verdict?.status ?? 'unknown') : 'unknown',
      failures: verdict?.failing?.failures ?? [],
      lastChange: verdict === null ? 0 : unixSeconds(verdict.since),
    },
  };
}

export const checkFields = ({ template, options, ...rest }: CheckSettings): ComparedFields => ({
  ...rest,
  templateId: template.id,
  templateVars: template.vars,
  options: { ...options, w: options.w ?? '' },
});
