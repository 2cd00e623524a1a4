import { areaPeriods } from '../../projects/areas/area.settings.ts';
import { checkMethods, checkTypes } from '../../projects/checks/check.settings.ts';
import { MASK } from '../../kernel/text.ts';
import type { ReadContext } from '../importer.ts';
import { importKey } from '../import-key.ts';
import type {
  ImportedCheck,
  ImportedCheckOptions,
  ImportedForm,
  ImportedGroup,
  ImportedRule,
  ImportedMember,
  ImportedNotifications,
} from '../imported-site.ts';
import { objectIn, objectsIn, type SourceObject, textIn, numberIn } from '../source-values.ts';
import type { UniqueNames } from '../unique-names.ts';
import type { RoleId } from '../../accounts/rights/roles.ts';
import { notificationChannels, severities } from '../../alerts/preferences/preference.settings.ts';

/** A group without its checks. Secrets that answers mask become variables without a value. */
export function groupOfArea(area: SourceObject, title: string, names: UniqueNames, context: ReadContext): Omit<ImportedGroup, 'checks'> {
  const id = textIn(area['id']);
  const label = `${title} / ${textIn(area['name'])}`;
  const { user, url } = objectIn(area['httpAuth']);
  const period = areaPeriods.find((one) => one === String(area['period']));
  const w = headers(textIn(objectIn(area['options'])['w']), ['area', id], label, context);
  const form = formOf(objectIn(area['form']), id, label, context);
  const rules = (Array.isArray(area['rules']) ? area['rules'] : []).map((block: unknown) =>
    rulesIn(Array.isArray(block) ? block : [block]),
  );
  return {
    key: importKey('api', id),
    name: names.take(textIn(area['name'])),
    ...(area['public'] === false && { public: false }),
    ...(period !== undefined && period !== 'true' && { period }),
    ...(rules.some((block) => block.length > 0) && { rules }),
    ...(form !== null && { form }),
    ...(textIn(user) !== '' && {
      httpAuth: {
        user: textIn(user),
        password: unknownSecret(['area', id, 'password'], 'the password of its sign-in', label, context),
        ...(textIn(url) !== '' && { url: textIn(url) }),
      },
    }),
    ...(w !== '' && { options: { w } }),
  };
}

const formTexts = ['identifier', 'action', 'originalAction', 'relativeAction', 'baseUrl', 'html', 'checksum'] as const;

/** Null when there is none: answers have an empty one there. */
function formOf(given: SourceObject, areaId: string, label: string, context: ReadContext): ImportedForm | null {
  if (textIn(given['identifier']) === '') return null;
  const texts = formTexts.flatMap((name) => (textIn(given[name]) === '' ? [] : [[name, textIn(given[name])] as const]));
  const params = textIn(given['params']);
  return {
    ...Object.fromEntries(texts),
    ...(given['enabled'] === true && { enabled: true }),
    ...(given['method'] === 'POST' && { method: 'POST' }),
    ...(params !== '' && { params: secretOf(params, ['area', areaId, 'form'], 'the fields of its sign-in form', label, context) }),
  };
}

export function checkOfTest(test: SourceObject, title: string, names: UniqueNames, context: ReadContext): ImportedCheck {
  const id = textIn(test['id']);
  const name = names.take(textIn(test['name']) || textIn(test['url']));
  const type = checkTypes.find((one) => one === test['type']);
  const rules = rulesIn(test['rules'] ?? objectIn(test['status'])['rules']);
  const variables = (Array.isArray(test['templateVars']) ? test['templateVars'] : []).map(textIn);
  const options = optionsOf(objectIn(test['options']), id, `${title} / ${name}`, context);
  return {
    key: importKey('api', id),
    name,
    url: textIn(test['url']),
    ...(test['enabled'] === false && { enabled: false }),
    ...(textIn(test['notice']) !== '' && { notice: textIn(test['notice']) }),
    ...(type !== undefined && type !== 'simple' && { type }),
    ...(rules.length > 0 && { rules }),
    ...(textIn(test['templateId']) !== '' && { templateId: textIn(test['templateId']) }),
    ...(variables.length > 0 && { templateVars: variables }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

const rulesIn = (list: unknown): readonly ImportedRule[] =>
  objectsIn(list).map(({ type, op, val, origin }) => ({
    type: textIn(type) || 'text',
    op: textIn(op),
    val: textIn(val),
    ...(textIn(origin) !== '' && { origin: textIn(origin) }),
  }));

function optionsOf(given: SourceObject, id: string, label: string, context: ReadContext): ImportedCheckOptions {
  const method = checkMethods.find((one) => one === given['method']);
  const w = headers(textIn(given['w']), [id], label, context);
  const isSet = (name: string): boolean => given[name] === true;
  const list = (name: string): object =>
    Array.isArray(given[name]) && given[name].length > 0 ? { [name]: given[name] as readonly unknown[] } : {};
  return {
    ...(isSet('2') && { '2': true }),
    ...(isSet('6') && { '6': true }),
    ...(isSet('g') && { g: true }),
    ...(isSet('l') && { l: true }),
    ...(w !== '' && { w }),
    ...(method !== undefined && method !== 'GET' && { method }),
    ...(textIn(given['contentType']) !== '' && { contentType: textIn(given['contentType']) }),
    ...(textIn(given['body']) !== '' && { body: secretOf(textIn(given['body']), [id, 'body'], 'the body of its request', label, context) }),
    ...list('extract'),
    ...list('uses'),
  };
}

function headers(lines: string, of: readonly string[], label: string, context: ReadContext): string {
  return lines
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? [];
      return `${name}: ${secretOf(value, [...of, name], `the value of the extra header ${name}`, label, context)}`;
    })
    .join('\n');
}

/** Stars of some length in place of a value, also of one among others as in `Bearer ****` or `user=ann&password=****`. */
const MASKED = /(?<![^\s=:&"',;])(?:\*{3,}|•{3,}|(?:%2A){3,}|(?:%E2%80%A2){3,})(?![^\s&"',;}\]])/i;

/** A value of which the source masks a part cannot be saved as it is shown. */
function secretOf(value: string, of: readonly string[], what: string, label: string, context: ReadContext): string {
  return value === MASK || MASKED.test(value) ? unknownSecret(of, what, label, context) : context.secrets.reference(['api', ...of], value);
}

function unknownSecret(of: readonly string[], what: string, label: string, { secrets, findings }: ReadContext): string {
  const name = secrets.unknown(['api', ...of]);
  findings.miss(label, `${what}: answers do not show it; set the variable ${name}`);
  return `\${env:${name}}`;
}

const roleIds: readonly RoleId[] = ['4', '5', '6'];

/** All but the owner: the account that imports owns the site. */
export function membersOf(users: unknown, title: string, { findings }: ReadContext): readonly ImportedMember[] {
  const members = new Map<string, ImportedMember>();
  for (const { email, role: held, isPayer, name } of objectsIn(users)) {
    if (isPayer === true) continue;
    const address = textIn(email).trim();
    const role = roleIds.find((one) => one === textIn(objectIn(held)['id'] ?? held));
    if (role !== undefined && address.includes('@')) members.set(address.toLowerCase(), { email: address, role: Number(role) });
    else findings.miss(title, `users: ${address || textIn(name) || 'a member'} has no address or no role that exists here`);
  }
  return [...members.values()];
}

/** Those of the account whose token reads them; they become those of the account that applies. */
export function notificationsOf(settings: SourceObject): ImportedNotifications {
  const severity = severities.find((one) => one === numberIn(settings['severity']));
  const channels = notificationChannels.flatMap((channel) => {
    const isOn = settings[channel];
    return typeof isOn === 'boolean' ? [[channel, isOn] as const] : [];
  });
  return { ...(severity !== undefined && { severity }), ...Object.fromEntries(channels) };
}
