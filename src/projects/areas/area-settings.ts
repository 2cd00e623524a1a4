import { Inject, Injectable } from '@nestjs/common';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { type AreaForm, type AreaSignIn, emptyForm, publicArea, type WantedArea } from './area.settings.ts';
import { FoundProblems, InvalidInput, problemOf } from '../../kernel/errors.ts';
import type { Sealed } from '../../kernel/event.ts';
import { SavedHeaders, type SettingsOwner } from '../checks/saved-headers.ts';
import { groupRulesOf } from '../checks/rule.api.ts';
import { RuleValidation } from '../checks/rule-validation.ts';
import type { AreaDto, FormInput, SignInInput } from './area.api.ts';
import { isObject } from '../../kernel/is-object.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { readSiteUrl } from '../../kernel/site-url.ts';
import { isUrl } from '../../kernel/url.ts';
import { MASK } from '../../kernel/text.ts';
import { keptHtmlOf } from './form-html.ts';

/** Members in the clear, and the secret one, undefined where the saved one is kept. */
interface GivenForm {
  readonly form: Partial<Omit<AreaForm, 'params'>>;
  readonly params: string | undefined;
}

interface GivenSignIn {
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

const { keptHtml: _, ...initialForm } = emptyForm;

/** The fields of a new group that a request may leave out, as requests spell them. */
export const initialArea = {
  public: publicArea.public,
  rules: publicArea.rules,
  period: publicArea.period,
  options: { w: '' },
  form: { ...initialForm, params: '' },
  httpAuth: { user: '', password: '', url: '' },
};

/** A secret without its form or user would not be sent anywhere: they are removed together. */
export function refuseToRemoveSecrets(patch: unknown): void {
  const secrets = { form: 'params', httpAuth: 'password' } as const;
  const removed = Object.entries(secrets).filter(([parent, name]) => {
    const members = isObject(patch) ? patch[parent] : undefined;
    return isObject(members) && members[name] === null;
  });
  if (removed.length > 0)
    throw new InvalidInput(
      removed.map(([parent, name]) => problemOf(`${parent}.${name}: is removed with ${parent}; send "${parent}": null`)),
    );
}

/** Turns a request body into an area's settings; secrets are sealed with the project's key. */
@Injectable()
export class AreaSettingsInput {
  constructor(
    private readonly keyring: Keyring,
    private readonly savedHeaders: SavedHeaders,
    @Inject(RuleValidation) private readonly validation: Pick<RuleValidation, 'refuseInvalid'>,
  ) {}

  async created(dto: AreaDto, project: SettingsOwner): Promise<WantedArea> {
    if (dto.name === undefined) throw new InvalidInput('name: is missing');
    return this.changed(dto, project, null);
  }

  /** Only the supplied fields; the command keeps the others. */
  async changed(dto: AreaDto, project: SettingsOwner, savedHeaders: Sealed | null): Promise<WantedArea> {
    const headers = dto.options?.w ?? undefined;
    const rules = dto.rules === undefined ? undefined : groupRulesOf(dto.rules);
    const found = new FoundProblems();
    if (rules !== undefined) await found.readLater(() => this.validation.refuseInvalid(rules.flat(), ruleInBlocks(rules)));
    const form = dto.form === undefined ? undefined : await found.readLater(() => this.form(dto.form ?? {}, project));
    const httpAuth = dto.httpAuth === undefined ? undefined : await found.readLater(() => this.signIn(dto.httpAuth ?? {}, project));
    const sent =
      headers === undefined
        ? undefined
        : await found.readLater(() => this.savedHeaders.toSave(headers, savedHeaders, project.settings.url, project));
    found.refuse();
    return {
      ...(dto.name === undefined ? {} : { name: dto.name }),
      ...(dto.public === undefined ? {} : { public: dto.public }),
      ...(rules === undefined ? {} : { rules }),
      ...(dto.period === undefined ? {} : { period: dto.period }),
      ...(form === undefined ? {} : { form }),
      ...(httpAuth === undefined ? {} : { httpAuth }),
      ...(sent === undefined ? {} : { headers: sent }),
    };
  }

  private async form(given: FormInput, { id, settings }: SettingsOwner): Promise<Partial<AreaForm>> {
    const { form, params } = readForm(given, settings.url);
    return params === undefined ? form : { ...form, params: await this.sealed(params, id) };
  }

  private async signIn(given: SignInInput, { id, settings }: SettingsOwner): Promise<Partial<AreaSignIn>> {
    const { signIn, password } = readSignIn(given, settings.url);
    return password === undefined ? signIn : { ...signIn, password: await this.sealed(password, id) };
  }

  private sealed(text: string, projectId: string): Promise<Sealed | null> {
    return text === '' ? Promise.resolve(null) : this.keyring.seal(projectStream(projectId), text);
  }
}

/** The path of a rule by its index over all blocks; a flat array is read as one block. */
const ruleInBlocks =
  (blocks: readonly (readonly unknown[])[]) =>
  (index: number): string => {
    const places = blocks.flatMap((block, place) => block.map((_, at) => `rules.${String(place)}.${String(at)}`));
    return places[index] ?? 'rules';
  };
