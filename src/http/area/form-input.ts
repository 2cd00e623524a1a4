import type { AreaForm, AreaSignIn } from '../../domain/area/settings.ts';
import { readSiteUrl } from '../../domain/project/site-url.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { isUrl } from '../../kernel/url.ts';
import { isPlainText } from '../validation/plain-text.ts';
import { readBoolean } from '../validation/switch.ts';

type Given = Readonly<Record<string, unknown>>;

/** What answers show in place of a secret. Sent back, or empty: what was saved is kept. */
export const MASK = '********';

/** Members in the clear, and the secret one, undefined where what was saved is kept. */
export interface GivenForm {
  readonly form: Partial<Omit<AreaForm, 'params'>>;
  readonly params: string | undefined;
}

export interface GivenSignIn {
  readonly signIn: Partial<Omit<AreaSignIn, 'password'>>;
  readonly password: string | undefined;
}

const formTexts = ['identifier', 'action', 'originalAction', 'relativeAction', 'checksum'] as const;
const MOST = 2048;
const MOST_HTML = 16 * 1024;
const MOST_SECRET = 4096;

/** docs/spec/interface.md#area-group-of-checks; only supplied members change. */
export function readForm(given: Given, projectUrl: string): GivenForm {
  refuseUnknown(given, [...formTexts, 'baseUrl', 'enabled', 'method', 'params', 'html'], 'form');
  const { baseUrl, method, html } = given;
  const enabled = readBoolean(given['enabled']);
  if (isGiven(given['enabled']) && enabled === undefined) throw new InvalidInput('form.enabled: must be true or false');
  if (isGiven(method) && method !== 'GET' && method !== 'POST') throw new InvalidInput('form.method: must be GET or POST');
  return {
    form: {
      ...textsOf(given, formTexts, 'form'),
      ...(isGiven(baseUrl) ? { baseUrl: address(baseUrl, 'form.baseUrl', projectUrl) } : {}),
      ...(enabled === undefined ? {} : { enabled }),
      ...(method === 'GET' || method === 'POST' ? { method } : {}),
      ...(isGiven(html) ? { html: text(html, 'form.html', MOST_HTML) } : {}),
    },
    params: secret(given['params'], 'form.params'),
  };
}

/** docs/spec/interface.md#area-group-of-checks: httpAuth. */
export function readSignIn(given: Given, projectUrl: string): GivenSignIn {
  refuseUnknown(given, ['user', 'password', 'url'], 'httpAuth');
  const { user, url } = given;
  const signIn = {
    ...(isGiven(user) ? { user: text(user, 'httpAuth.user', 200) } : {}),
    ...(isGiven(url) ? { url: address(url, 'httpAuth.url', projectUrl) } : {}),
  };
  if (signIn.user?.includes(':') === true) throw new InvalidInput('httpAuth.user: must not contain a colon');
  return { signIn, password: secret(given['password'], 'httpAuth.password') };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function refuseUnknown(given: Given, known: readonly string[], field: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidInput(`${field}.${unknown.slice(0, 60)}: is not a known field`);
}

const textsOf = <Name extends string>(given: Given, names: readonly Name[], field: string): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.filter((name) => isGiven(given[name])).map((name) => [name, text(given[name], `${field}.${name}`, MOST)]),
  ) as Partial<Record<Name, string>>;

function text(value: unknown, field: string, most: number): string {
  if (!isPlainText(value, most) || typeof value !== 'string')
    throw new InvalidInput(`${field}: must be text of at most ${String(most)} characters`);
  return value;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;
const NO_ADDRESS = { kind: 'invalid', reason: 'it cannot be read as an address' } as const;

/** Absolute, or a path of the project's site, which is kept as the address that it is now: a saved secret does not move with the project. */
function address(value: unknown, field: string, projectUrl: string): string {
  const written = text(value, field, MOST).trim();
  if (written === '') return '';
  const absolute = ABSOLUTE.test(written) || !isUrl(written, projectUrl) ? written : new URL(written, projectUrl).href;
  const read = ABSOLUTE.test(absolute) ? readSiteUrl(absolute) : NO_ADDRESS;
  if (read.kind === 'invalid') throw new InvalidInput(`${field}: is not a valid URL: ${read.reason}`);
  return absolute;
}

function secret(value: unknown, field: string): string | undefined {
  return !isGiven(value) || value === '' || value === MASK ? undefined : text(value, field, MOST_SECRET);
}
