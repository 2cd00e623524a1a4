import type { AreaForm, AreaSignIn } from './area.settings.ts';
import { readSiteUrl } from '../site-url.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { isUrl } from '../../kernel/url.ts';
import { MASK } from '../../kernel/mask.ts';
import { keptHtmlOf } from './form-html.ts';
import type { FormInput, SignInInput } from './area.dto.ts';

/** Members in the clear, and the secret one, undefined where the saved one is kept. */
export interface GivenForm {
  readonly form: Partial<Omit<AreaForm, 'params'>>;
  readonly params: string | undefined;
}

export interface GivenSignIn {
  readonly signIn: Partial<Omit<AreaSignIn, 'password'>>;
  readonly password: string | undefined;
}

/** docs/spec/interface.md#area-group-of-checks; only supplied members change. */
export function readForm({ params, baseUrl, html, ...rest }: FormInput, projectUrl: string): GivenForm {
  const markup = html === undefined || html === null ? {} : { html: '', keptHtml: keptHtmlOf(html) };
  return {
    form: { ...supplied(rest), ...markup, ...supplied({ baseUrl: address(baseUrl, 'form.baseUrl', projectUrl) }) },
    params: secret(params),
  };
}

/** docs/spec/interface.md#area-group-of-checks: httpAuth. */
export function readSignIn({ user, password, url }: SignInInput, projectUrl: string): GivenSignIn {
  return { signIn: supplied({ user, url: address(url, 'httpAuth.url', projectUrl) }), password: secret(password) };
}

type Supplied<Given> = { readonly [Name in keyof Given]?: NonNullable<Given[Name]> };

/** Null and undefined both mean: not supplied. */
const supplied = <Given extends object>(given: Given): Supplied<Given> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null)) as Supplied<Given>; // by the filter

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;
const NO_ADDRESS = { kind: 'invalid', reason: 'it cannot be read as an address' } as const;

/** Absolute, or a path of the project's site, which is resolved now: a saved secret does not move with the project. */
function address(value: string | null | undefined, field: string, projectUrl: string): string | undefined {
  const written = value?.trim();
  if (written === undefined || written === '') return written;
  const absolute = ABSOLUTE.test(written) || !isUrl(written, projectUrl) ? written : new URL(written, projectUrl).href;
  const read = ABSOLUTE.test(absolute) ? readSiteUrl(absolute) : NO_ADDRESS;
  if (read.kind === 'invalid') throw new InvalidInput(`${field}: is not a valid URL: ${read.reason}`);
  return absolute;
}

const secret = (value: string | null | undefined): string | undefined =>
  value === null || value === '' || value === MASK ? undefined : value;
