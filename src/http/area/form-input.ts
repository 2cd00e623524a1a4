import type { AreaForm, AreaSignIn } from '../../domain/area/settings.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { isUrl } from '../../kernel/url.ts';
import { isPlainText } from '../validation/plain-text.ts';

type Given = Readonly<Record<string, unknown>>;

/** What answers show in place of a secret. Sent back, or empty: what was saved is kept. */
export const MASK = '********';

/** Undefined: the saved one is kept; null: none. */
type Secret = string | null | undefined;

export interface GivenForm {
  readonly form: Omit<AreaForm, 'params'>;
  readonly params: Secret;
}

export interface GivenSignIn {
  readonly signIn: Omit<AreaSignIn, 'password'>;
  readonly password: Secret;
}

const formTexts = ['identifier', 'action', 'originalAction', 'relativeAction', 'baseUrl', 'checksum'] as const;
const HTML_LIMIT = 16 * 1024;

/** interface.md, Form; only supplied members change. Null: an empty form takes it away. */
export function readForm(given: Given, today: AreaForm | null, projectUrl: string): GivenForm | null {
  refuseUnknown(given, [...formTexts, 'enabled', 'method', 'params', 'html'], 'form');
  const before = today ?? emptyForm;
  const member = (name: (typeof formTexts)[number]): string => text(given[name], before[name], `form.${name}`, 2048);
  const enabled = given['enabled'] ?? before.enabled;
  const method = given['method'] ?? before.method;
  if (typeof enabled !== 'boolean') throw new InvalidInput('form.enabled: must be true or false');
  if (method !== 'GET' && method !== 'POST') throw new InvalidInput('form.method: must be GET or POST');
  const form: Omit<AreaForm, 'params'> = {
    identifier: member('identifier'),
    enabled,
    method,
    action: member('action'),
    originalAction: member('originalAction'),
    relativeAction: member('relativeAction'),
    baseUrl: member('baseUrl'),
    html: text(given['html'], before.html, 'form.html', HTML_LIMIT),
    checksum: member('checksum'),
  };
  if (form.identifier === '' && form.baseUrl === '' && !enabled) return null;
  const params = secret(given['params'], 'form.params');
  const [page, target] = [originOf(form.baseUrl, projectUrl), originOf(form.action)];
  const moved = page !== originOf(before.baseUrl, projectUrl) || (before.action !== '' && target !== originOf(before.action));
  if (params === undefined && before.params !== null && moved) throw givenAgain('form.params', 'baseUrl or action');
  return { form, params };
}

/** interface.md, Area: httpAuth. */
export function readSignIn(given: Given, today: AreaSignIn | null, projectUrl: string): GivenSignIn | null {
  refuseUnknown(given, ['user', 'password', 'url'], 'httpAuth');
  const user = text(given['user'], today?.user ?? '', 'httpAuth.user', 200);
  const url = text(given['url'], today?.url ?? '', 'httpAuth.url', 2048);
  if (user === '') return null;
  if (user.includes(':')) throw new InvalidInput('httpAuth.user: must not contain a colon');
  const password = secret(given['password'], 'httpAuth.password');
  const moved = today !== null && originOf(url, projectUrl) !== originOf(today.url, projectUrl);
  if (password === undefined && moved && today.password !== null) throw givenAgain('httpAuth.password', 'url');
  return { signIn: { user, url }, password };
}

export const emptyForm: AreaForm = {
  identifier: '',
  enabled: false,
  method: 'GET',
  action: '',
  originalAction: '',
  relativeAction: '',
  baseUrl: '',
  params: null,
  html: '',
  checksum: '',
};

function refuseUnknown(given: Given, known: readonly string[], field: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidInput(`${field}.${unknown.slice(0, 60)}: is not a known field`);
}

function text(value: unknown, before: string, field: string, most: number): string {
  if (value === undefined || value === null) return before;
  if (!isPlainText(value, most) || typeof value !== 'string')
    throw new InvalidInput(`${field}: must be text of at most ${String(most)} characters`);
  return value;
}

/** Nobody can read a saved secret, so nobody may have it sent to a site of their own either: it is kept for the origin that it was given for. */
const givenAgain = (field: string, mover: string): InvalidInput =>
  new InvalidInput(`${field}: must be given again, because ${mover} leads to another site`);

const originOf = (url: string, whenEmpty = ''): string => {
  const named = url === '' ? whenEmpty : url;
  return isUrl(named) ? new URL(named).origin : named;
};

function secret(value: unknown, field: string): Secret {
  if (value === undefined || value === null || value === '' || value === MASK) return undefined;
  return text(value, '', field, 4096);
}
