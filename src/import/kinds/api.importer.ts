import { initialSettings, settingFields, settingRows } from '../../projects/project.settings.ts';
import { same } from '../../kernel/change.ts';
import { isUrl } from '../../kernel/url.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import type { Importer, ReadContext } from '../importer.ts';
import type { ImportSource } from '../import-source.ts';
import { importKey } from '../import-key.ts';
import { arrives, internal, missing, nearest, noteMissing, type SettingRows } from '../setting-rows.ts';
import type { ImportedGroup, ImportedSite } from '../imported-site.ts';
import { namesIn, numberIn, type SourceObject, textIn } from '../source-values.ts';
import { UniqueNames } from '../unique-names.ts';
import { checkOfTest, groupOfArea, membersOf, notificationsOf } from './api-objects.ts';
import { ApiSource, type SourceProject } from './api-source.ts';

const STATE = 'the service finds it out again';
const OWN_IDS = 'an id of the other service';

const settings: SettingRows = {
  'project.id': arrives('the key of the site, by which a second import finds it'),
  ...Object.fromEntries(Object.values(settingFields).map((field) => [`project.${field}`, arrives(`\`${field}\``)])),
  'project.location': arrives('`location`, which the installation must serve'),
  'project.userIds': arrives('`members`, by their addresses'),
  ...Object.fromEntries(['apiKey', 'payerId', 'permissions'].map((name) => [`project.${name}`, internal(OWN_IDS)])),
  ...Object.fromEntries(
    ['name', 'created', 'status', 'sslStatus', 'sslExpiration', 'sslDaysLeft', 'sslError', 'isWordPress'].map((name) => [
      `project.${name}`,
      internal(STATE),
    ]),
  ),
  ...Object.fromEntries(['Status', 'FinalUrl', 'CheckedAt'].map((name) => [`project.httpsRedirect${name}`, internal(STATE)])),
  'area.id': arrives('the key of the group'),
  'area.name': arrives('its name'),
  'area.public': arrives('`public`'),
  'area.rules': arrives('its rules'),
  'area.period': arrives('`period`'),
  'area.httpAuth': nearest('`httpAuth`; of its password, which answers do not show, the name of a variable'),
  'area.options': nearest('`options.w`; of values, which answers do not show, the names of variables'),
  'area.form': nearest('`form`; of its fields, which answers may not show, the name of a variable'),
  ...Object.fromEntries(['projectId', 'result', 'nextRun', 'periodInt', 'foundChecksum'].map((name) => [`area.${name}`, internal(STATE)])),
  'test.id': arrives('the key of the check'),
  'test.name': arrives('its name'),
  'test.url': arrives('`url`'),
  'test.enabled': arrives('`enabled`'),
  'test.notice': arrives('`notice`'),
  'test.type': arrives('`type`'),
  'test.areaId': arrives('the group that it stands in'),
  'test.rules': arrives('its rules, with their origin; also those of `status.rules`'),
  'test.options': nearest('`options`; of a body and of values of headers, which answers do not show, the names of variables'),
  'test.templateId': arrives('`templateId`'),
  'test.templateVars': arrives('`templateVars`'),
  ...Object.fromEntries(['run', 'flags', 'status', 'projectId'].map((name) => [`test.${name}`, internal(STATE)])),
  'users (members and roles)': nearest('`members` but for the owner; those without an account here are invited'),
  'notifications (settings of an account)': nearest(
    '`notifications` of the account that applies, from those of the account that has the token',
  ),
  'uptime, responseTimes, job results (history)': missing('the interface has no counts of probes'),
};

/** The public API that this service has as well (docs/spec/interface.md): another installation, or another service with it. */
export const apiImporter: Importer = {
  product: 'The public API',
  source: 'the address of the API, also one that ends in /project/ID for one project; its token in the variable SOURCE_TOKEN',
  settings,
  read: async (source, context) => {
    const api = apiOf(source);
    const sites: ImportedSite[] = [];
    for await (const found of api.projects())
      if (typeof found === 'string') context.findings.leaveOut(`project ${found}`, 'the token may not read it');
      else sites.push(await siteOf(found, api, context));
    return { sites };
  },
};

function apiOf({ name, env }: ImportSource): ApiSource {
  const token = env['SOURCE_TOKEN'] ?? '';
  if (!isUrl(name) || !/^https?:$/.test(new URL(name).protocol)) throw new StartRefused(`${name}: is not an http or https address`);
  if (token === '') throw new StartRefused('SOURCE_TOKEN: is not set; it has the token for the address');
  return new ApiSource(name, token);
}

async function siteOf({ project, areas, tests }: SourceProject, api: ApiSource, context: ReadContext): Promise<ImportedSite> {
  const id = textIn(project['id']);
  const title = textIn(project['title']) || textIn(project['name']) || textIn(project['url']);
  noteMissing(title, project, settings, context.findings, 'project.');
  const [groupNames, checkNames] = [new UniqueNames(), new UniqueNames()];
  const known = new Set(areas.map((area) => textIn(area['id'])));
  const groups = areas.map((area): ImportedGroup => {
    const inside = tests.filter((test) => textIn(test['areaId']) === textIn(area['id']));
    noteMissing(`${title} / ${textIn(area['name'])}`, area, settings, context.findings, 'area.');
    return {
      ...groupOfArea(area, title, groupNames, context),
      checks: inside.map((test) => checkOf(test, title, checkNames, context)),
    };
  });
  const people = await peopleOf(id, title, api, context);
  const lost = tests.filter((test) => !known.has(textIn(test['areaId'])));
  const rest = { key: importKey('api', `${id}-public`), name: groupNames.take('Public') };
  return {
    key: importKey('api', id),
    ...ownSettings(project),
    url: textIn(project['url']),
    title,
    groups: [...groups, ...(lost.length > 0 ? [{ ...rest, checks: lost.map((test) => checkOf(test, title, checkNames, context)) }] : [])],
    ...people,
  };
}

function checkOf(test: SourceObject, title: string, names: UniqueNames, context: ReadContext): ImportedGroup['checks'][number] {
  const check = checkOfTest(test, title, names, context);
  noteMissing(`${title} / ${check.name}`, test, settings, context.findings, 'test.');
  return check;
}

async function peopleOf(id: string, title: string, api: ApiSource, context: ReadContext): Promise<Partial<ImportedSite>> {
  const [users, notifications] = await Promise.all([api.usersOf(id), api.notificationsOf(id)]);
  if (users === null) context.findings.miss(title, 'members: the token may not read them');
  if (notifications === null) context.findings.miss(title, 'notifications: the token may not read them');
  const members = membersOf(users, title, context);
  const chosen = notificationsOf(notifications ?? {});
  return { ...(members.length > 0 && { members }), ...(Object.keys(chosen).length > 0 && { notifications: chosen }) };
}

/** The settings that are not as in a new project; the period always, as that of a new project depends on the plan. */
function ownSettings(project: SourceObject): Partial<ImportedSite> {
  const url = textIn(project['url']);
  const usual = initialSettings({ url: isUrl(url) ? url : 'https://x', host: '', period: null }, { defaultPeriod: '' }, 'eu');
  const initial: Readonly<Record<string, unknown>> = { ...usual, period: '', title: project['title'], url };
  const given = settingRows.flatMap(([setting, { field = setting, form }]) => {
    if (field === null || (setting === 'uptimeUrl' && project[field] === url)) return [];
    const options = form?.as === 'period' ? form.options : undefined;
    const value =
      options === undefined ? valueLike(initial[setting], project[field]) : options.find((one) => one === String(project[field]));
    return value === undefined || value === null || value === '' || same(value, initial[setting]) ? [] : [[field, value] as const];
  });
  return Object.fromEntries(given);
}

/** A value of the type that a new project has there; null or an empty text without one. */
function valueLike(initial: unknown, value: unknown): unknown {
  if (typeof initial === 'boolean') return typeof value === 'boolean' ? value : null;
  if (typeof initial === 'number') return numberIn(value);
  return Array.isArray(initial) ? namesIn(value ?? []) : textIn(value);
}
