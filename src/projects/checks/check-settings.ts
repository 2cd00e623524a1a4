import { Injectable } from '@nestjs/common';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { Rule } from './rule.ts';
import { type CheckOptions, type CheckSettings, hasBody, type WantedCheck } from './check.settings.ts';
import { same } from '../../kernel/change.ts';
import { FoundProblems, InvalidInput } from '../../kernel/errors.ts';
import { isUrl } from '../../kernel/url.ts';
import { ruleAt, RuleValidation } from './rule-validation.ts';
import type { CheckDto, CheckOptionsInput } from './check.api.ts';
import { readCheckUrl } from './check-url.ts';
import { toExtractions } from './extraction.dto.ts';
import { toRules } from './rule.api.ts';
import { SavedBody } from './saved-body.ts';
import { SavedHeaders, type SettingsOwner } from './saved-headers.ts';

const noOptions: CheckOptions = { '2': false, '6': false, g: false, l: false, w: null };

export const defaultSettings: CheckSettings = {
  name: '',
  url: '',
  enabled: true,
  notice: '',
  type: 'simple',
  rules: [],
  options: noOptions,
  template: { id: '', vars: [] },
};

const initialOptions = { '2': false, '6': false, g: false, l: false, w: '' };
/** Those that answers leave out until one is set. */
const laterOptions = { method: 'GET', contentType: '', body: '', extract: [], uses: [] };

/** The fields of a new check that a request may leave out, as requests spell them; of the later options those that this check has. */
export function initialFieldsOf({ options }: CheckSettings): object {
  const { name, enabled, notice, type, rules, template } = defaultSettings;
  const later = Object.fromEntries(Object.entries(laterOptions).filter(([option]) => Object.hasOwn(options, option)));
  return {
    name,
    enabled,
    notice,
    type,
    rules,
    templateId: template.id,
    templateVars: template.vars,
    options: { ...initialOptions, ...later },
  };
}

/** Turns a request body into a check's settings; secrets are sealed with the project's key. */
@Injectable()
export class CheckSettingsInput {
  constructor(
    private readonly guard: SsrfGuard,
    private readonly savedHeaders: SavedHeaders,
    private readonly savedBody: SavedBody,
    private readonly validation: RuleValidation,
  ) {}

  async created(dto: CheckDto, project: SettingsOwner): Promise<CheckSettings> {
    const url = readCheckUrl(dto.url, project.settings.url, this.guard);
    const { options, template, ...rest } = await this.changed(dto, project, { ...defaultSettings, url });
    return {
      ...defaultSettings,
      ...rest,
      options: { ...defaultSettings.options, ...options },
      template: { ...defaultSettings.template, ...template },
      url,
    };
  }

  /** Only the supplied fields; `today` decides between rules that were supplied twice. */
  async changed(dto: CheckDto, project: SettingsOwner, today: CheckSettings): Promise<WantedCheck> {
    const { rules, path } = wantedRules(dto, today);
    const projectUrl = project.settings.url;
    const url = dto.url !== undefined && dto.url !== today.url ? readCheckUrl(dto.url, projectUrl, this.guard) : today.url;
    const fetched = absolute(url, projectUrl);
    const found = new FoundProblems();
    if (rules !== undefined) await found.readLater(() => this.validation.refuseInvalid(rules, ruleAt(path)));
    const options = dto.options === undefined ? undefined : await this.options(dto.options, today.options, fetched, project, found);
    if (found.areNone) await this.refuseToLeave(today.options, options ?? {}, absolute(today.url, projectUrl), fetched, projectUrl);
    found.read(() => {
      refuseBodyWithout({ ...today.options, ...options });
    });
    found.refuse();
    return {
      ...(url === today.url ? {} : { url }),
      ...(dto.name === undefined ? {} : { name: dto.name }),
      ...(dto.enabled === undefined ? {} : { enabled: dto.enabled }),
      ...(dto.notice === undefined ? {} : { notice: dto.notice }),
      ...(dto.type === undefined ? {} : { type: dto.type }),
      ...(rules === undefined ? {} : { rules }),
      ...(options === undefined ? {} : { options }),
      template: {
        ...(dto.templateId === undefined ? {} : { id: dto.templateId }),
        ...(dto.templateVars === undefined ? {} : { vars: dto.templateVars }),
      },
    };
  }

  private async options(
    { w, method, contentType, body, extract, uses, ...switches }: CheckOptionsInput,
    today: CheckOptions,
    url: string,
    project: SettingsOwner,
    found: FoundProblems,
  ): Promise<Partial<CheckOptions>> {
    if (isGiven(extract)) await found.readLater(() => this.validation.refuseInvalidExtractions(toExtractions(extract)));
    const headers = isGiven(w) ? await found.readLater(() => this.savedHeaders.toSave(w, today.w, url, project)) : undefined;
    const saved = isGiven(body) ? await found.readLater(() => this.savedBody.toSave(body, today.body ?? null, url, project)) : undefined;
    return {
      ...switches,
      ...(headers !== undefined && { w: headers }),
      ...(isGiven(method) && { method }),
      ...(isGiven(contentType) && { contentType }),
      ...(isGiven(extract) && { extract: toExtractions(extract) }),
      ...(isGiven(uses) && { uses }),
      ...(saved !== undefined && { body: saved }),
    };
  }

  /** Headers and bodies that stay as they are must still be for the site of the check. */
  private async refuseToLeave(
    saved: CheckOptions,
    wanted: Partial<CheckOptions>,
    left: string,
    entered: string,
    projectUrl: string,
  ): Promise<void> {
    if (wanted.w === undefined || wanted.w === saved.w) await this.savedHeaders.refuseToLeave(saved.w, left, entered, projectUrl);
    const { body = null } = saved;
    if (wanted.body === undefined || wanted.body === body) await this.savedBody.refuseToLeave(body, left, entered, projectUrl);
  }
}

const isGiven = <Value>(value: Value | null | undefined): value is Value => value !== undefined && value !== null;

function refuseBodyWithout({ method = 'GET', body }: Partial<CheckOptions>): void {
  if (body && !hasBody(method)) throw new InvalidInput(`options.body: is not sent with ${method}; set options.method, or remove the body`);
}

const absolute = (url: string, projectUrl: string): string => (isUrl(url, projectUrl) ? new URL(url, projectUrl).href : url);

/** Rules may be supplied at the top and in `status`: those that differ from today's count, at the top first. */
function wantedRules(dto: CheckDto, today: CheckSettings): { readonly rules: readonly Rule[] | undefined; readonly path: string } {
  const top = dto.rules === undefined ? undefined : toRules(dto.rules);
  const inStatus = dto.status?.rules === undefined ? undefined : toRules(dto.status.rules);
  const isTop = inStatus === undefined || (top !== undefined && !same(top, today.rules));
  return isTop ? { rules: top, path: 'rules' } : { rules: inStatus, path: 'status.rules' };
}
