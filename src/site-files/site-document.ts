import { type AreaForm, type AreaSettings, type AreaSignIn, publicArea } from '../projects/areas/area.settings.ts';
import type { CheckOptions, CheckSettings } from '../projects/checks/check.settings.ts';
import { isOver, type MaintenanceWindow } from '../projects/maintenance/maintenance.decider.ts';
import { noObjective, type ServiceObjective, standardMethod } from '../projects/objectives/objective.settings.ts';
import { defaultNotifications, type NotificationSettings } from '../alerts/preferences/preference.settings.ts';
import type { ProjectSettings } from '../projects/project.settings.ts';
import type { Rule } from '../projects/checks/rule.ts';
import { same } from '../kernel/change.ts';
import { formatInstant } from '../kernel/instants.ts';
import { defaultSettings } from '../projects/checks/check-settings.ts';
import { fieldsOfObjective } from '../projects/objectives/objective.api.ts';
import { fieldsOf } from '../projects/writable-settings.dto.ts';

export interface GroupToWrite {
  readonly id: string;
  readonly settings: AreaSettings;
  /** The names of its extra headers. */
  readonly headers: readonly string[];
  /** The markup of its sign-in form. */
  readonly html: string;
  readonly checks: readonly CheckToWrite[];
}

export interface CheckToWrite {
  readonly id: string;
  readonly settings: CheckSettings;
  /** The names of its extra headers. */
  readonly headers: readonly string[];
}

export interface SiteToWrite {
  readonly settings: ProjectSettings;
  /** Those of a project that is created today. */
  readonly initial: ProjectSettings;
  readonly groups: readonly GroupToWrite[];
  readonly members: readonly { readonly email: string; readonly role: string }[];
  readonly notifications: NotificationSettings;
  readonly objective: ServiceObjective | null;
  readonly maintenance: readonly Omit<MaintenanceWindow, 'windowId'>[];
  readonly now: number;
}

export type SiteDocument = Readonly<Record<string, unknown>>;

/** Names the references of one document; a name stands for one secret. */
export class References {
  readonly names: string[] = [];

  of(...parts: readonly string[]): string {
    const name = parts
      .map((part) =>
        part
          .toUpperCase()
          .replaceAll(/[^A-Z0-9]+/g, '_')
          .replaceAll(/^_+|_+$/g, ''),
      )
      .filter((part) => part !== '')
      .join('_');
    const taken = this.names.filter((other) => other === name || other.replace(/_\d+$/, '') === name).length;
    const unique = taken === 0 ? name : `${name}_${String(taken + 1)}`;
    this.names.push(unique);
    return `\${env:${unique}}`;
  }
}

/** The smallest document that gives the same project, its fields in a stable order, with a reference for each secret. */
export function siteDocument(site: SiteToWrite): { readonly document: SiteDocument; readonly references: readonly string[] } {
  const references = new References();
  const { settings, initial } = site;
  const repeated = repeatedNames(site.groups.flatMap(({ checks }) => checks.map((check) => check.settings.name)));
  const repeatedGroups = repeatedNames(site.groups.map((group) => group.settings.name));
  const prefix = settings.key ?? settings.title;
  const groups = site.groups.map((group) =>
    groupDocument(group, { prefix, references, repeated, needsKey: repeatedGroups.has(group.settings.name) }),
  );
  const document = filled({
    ...(settings.key ? { key: settings.key } : {}),
    url: settings.url,
    ...differing(ofProject(settings), ofProject(initial)),
    members: unlessEmpty(site.members.map(({ email, role }) => ({ email, role: Number(role) }))),
    notifications: unlessEmpty(differing(site.notifications, defaultNotifications)),
    objective: site.objective === null ? undefined : objectiveDocument(site.objective),
    maintenance: unlessEmpty(
      site.maintenance.filter((window) => window.endedAt === null && !isOver({ windowId: '', ...window }, site.now)).map(windowDocument),
    ),
    groups: unlessEmpty(groups),
  });
  return { document, references: references.names };
}

const ofProject = (settings: ProjectSettings): object => {
  const { name: _, ...fields } = fieldsOf(settings);
  return fields;
};

const repeatedNames = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.filter((name, index) => name === '' || names.indexOf(name) !== index));

interface Writing {
  readonly prefix: string;
  readonly references: References;
  /** Names that several checks of the site have. */
  readonly repeated: ReadonlySet<string>;
  readonly needsKey: boolean;
}

function groupDocument({ id, settings, headers, html, checks }: GroupToWrite, writing: Writing): SiteDocument {
  const { references, prefix, needsKey } = writing;
  const path = [prefix, settings.key ?? settings.name];
  return filled({
    ...keyOf(id, settings.key, needsKey),
    name: settings.name,
    public: settings.public === publicArea.public ? undefined : settings.public,
    rules: unlessEmpty(
      settings.rules.length === 1 ? (settings.rules[0] ?? []).map(ruleDocument) : settings.rules.map((block) => block.map(ruleDocument)),
    ),
    period: settings.period === publicArea.period ? undefined : settings.period,
    form: settings.form === null ? undefined : formDocument(settings.form, html, () => references.of(...path, 'form')),
    httpAuth: settings.httpAuth === null ? undefined : signInDocument(settings.httpAuth, () => references.of(...path, 'password')),
    options: unlessEmpty(filled({ w: headerLines(headers, (name) => references.of(...path, name)) })),
    checks: unlessEmpty(checks.map((check) => checkDocument(check, writing))),
  });
}

function checkDocument({ id, settings, headers }: CheckToWrite, { references, prefix, repeated }: Writing): SiteDocument {
  const path = [prefix, settings.key ?? (settings.name || settings.url)];
  return filled({
    ...keyOf(id, settings.key, repeated.has(settings.name)),
    name: settings.name || undefined,
    url: settings.url,
    enabled: settings.enabled ? undefined : false,
    notice: settings.notice || undefined,
    type: settings.type === defaultSettings.type ? undefined : settings.type,
    rules: unlessEmpty(settings.rules.map(checkRuleDocument)),
    options: unlessEmpty(optionsDocument(settings.options, headers, (field) => references.of(...path, field))),
    templateId: settings.template.id || undefined,
    templateVars: unlessEmpty(settings.template.vars),
  });
}

/** An object whose name does not say which it is, is named by its id until it has a key. */
const keyOf = (id: string, key: string | null | undefined, needsKey: boolean): { readonly key?: string } => {
  if (key) return { key };
  return needsKey ? { key: id } : {};
};

const ruleDocument = ({
  type,
  op,
  val,
}: (Pick<Rule, 'op' | 'val'> & { readonly type: string }) | { type: string; op: string; val: string }): SiteDocument =>
  filled({ type: type === 'text' ? undefined : type, op, val });

const checkRuleDocument = ({ origin, templateId, order, ...rule }: Rule, index: number): SiteDocument =>
  filled({
    ...ruleDocument(rule),
    origin: origin || undefined,
    templateId: templateId || undefined,
    order: order === index ? undefined : order,
  });

const formDocument = (
  { params, keptHtml: _, html: __, enabled, method, ...texts }: AreaForm,
  html: string,
  reference: () => string,
): SiteDocument =>
  filled({
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    enabled: enabled || undefined,
    method: method === 'POST' ? method : undefined,
    params: params === null ? undefined : reference(),
    html: html || undefined,
  });

const signInDocument = ({ user, password, url }: AreaSignIn, reference: () => string): SiteDocument =>
  filled({ user, password: password === null ? undefined : reference(), url: url || undefined });

const headerLines = (names: readonly string[], reference: (name: string) => string): string | undefined =>
  names.length === 0 ? undefined : names.map((name) => `${name}: ${reference(name)}`).join('\n');

function optionsDocument(options: CheckOptions, headers: readonly string[], reference: (field: string) => string): SiteDocument {
  const { w: _, body, method, contentType, extract = [], uses = [], ...switches } = options;
  return filled({
    ...Object.fromEntries(Object.entries(switches).filter(([, on]) => on)),
    w: headerLines(headers, reference),
    method: method === 'GET' ? undefined : method,
    contentType: contentType === '' ? undefined : contentType,
    body: body ? reference('body') : undefined,
    extract: unlessEmpty(extract),
    uses: unlessEmpty(uses),
  });
}

function objectiveDocument(objective: ServiceObjective): SiteDocument {
  const { methods, ...fields } = fieldsOfObjective(objective);
  const { methods: _, ...initial } = fieldsOfObjective(noObjective);
  return { ...differing(fields, initial), ...(same(methods, [standardMethod]) ? {} : { methods }) };
}

const windowDocument = ({ from, to, note, repeat, offsetMinutes }: Omit<MaintenanceWindow, 'windowId'>): SiteDocument =>
  filled({
    from: formatInstant(Date.parse(from), offsetMinutes),
    to: formatInstant(Date.parse(to), offsetMinutes),
    note: note || undefined,
    repeat: repeat ?? undefined,
  });

export const differing = (fields: object, initial: object): SiteDocument =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !same(value, initial[name as keyof typeof initial])));

const filled = (fields: SiteDocument): SiteDocument =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export const unlessEmpty = <Value extends object>(value: Value): Value | undefined => (Object.keys(value).length === 0 ? undefined : value);
