import { Inject, Injectable } from '@nestjs/common';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { type AreaForm, type AreaSignIn, emptyForm, publicArea, type WantedArea } from './area.settings.ts';
import { InvalidInput, problemOf } from '../../kernel/errors.ts';
import type { Sealed } from '../../kernel/event.ts';
import { SavedHeaders, type SettingsOwner } from '../checks/saved-headers.ts';
import { groupRulesOf } from '../checks/rule.dto.ts';
import { RuleValidation } from '../../checker/trial/rule-validation.ts';
import type { AreaDto, FormInput, SignInInput } from './area.dto.ts';
import { readForm, readSignIn } from './form-input.ts';
import { isObject } from '../../kernel/is-object.ts';
import { projectStream } from '../../kernel/stream-names.ts';

const { keptHtml: _, ...initialForm } = emptyForm;

/** The fields of a new group that a request may leave out, as requests spell them. */
export const initialArea = {
  ...{ public: publicArea.public, rules: publicArea.rules, period: publicArea.period, options: { w: '' } },
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
    if (rules !== undefined) await this.validation.refuseInvalid(rules.flat());
    return {
      ...(dto.name === undefined ? {} : { name: dto.name }),
      ...(dto.public === undefined ? {} : { public: dto.public }),
      ...(rules === undefined ? {} : { rules }),
      ...(dto.period === undefined ? {} : { period: dto.period }),
      ...(dto.form === undefined ? {} : { form: await this.form(dto.form, project) }),
      ...(dto.httpAuth === undefined ? {} : { httpAuth: await this.signIn(dto.httpAuth, project) }),
      ...(headers === undefined ? {} : { headers: await this.savedHeaders.toSave(headers, savedHeaders, project.settings.url, project) }),
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
