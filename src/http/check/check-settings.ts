import { Inject, Injectable } from '@nestjs/common';
import { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import type { Rule } from '../../domain/check/rule.ts';
import type { CheckOptions, CheckSettings, WantedCheck } from '../../domain/check/settings.ts';
import { same } from '../../kernel/change.ts';
import type { Sealed } from '../../kernel/event.ts';
import { isUrl } from '../../kernel/url.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { TrialService } from '../trial/trial.service.ts';
import type { CheckDto, CheckOptionsInput } from './check.dto.ts';
import { readCheckUrl } from './check-url.ts';
import { toRules } from './rule.dto.ts';
import { SavedHeaders } from './saved-headers.ts';

const noOptions: CheckOptions = { '2': false, '6': false, g: false, l: false, w: null };

const defaultSettings: CheckSettings = {
  name: '',
  url: '',
  enabled: true,
  notice: '',
  type: 'simple',
  rules: [],
  options: noOptions,
  template: { id: '', vars: [] },
};

/** Turns a request body into a check's settings; secrets are sealed with the project's key. */
@Injectable()
export class CheckSettingsInput {
  constructor(
    @Inject(SsrfGuard) private readonly guard: SsrfGuard,
    @Inject(SavedHeaders) private readonly savedHeaders: SavedHeaders,
    @Inject(TrialService) private readonly trials: TrialService,
  ) {}

  async created(dto: CheckDto, project: ProjectRow): Promise<CheckSettings> {
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
  async changed(dto: CheckDto, project: ProjectRow, today: CheckSettings): Promise<WantedCheck> {
    const rules = wantedRules(dto, today);
    if (rules !== undefined) await this.trials.refuseInvalid(rules);
    const projectUrl = project.settings.url;
    const url = dto.url !== undefined && dto.url !== today.url ? readCheckUrl(dto.url, projectUrl, this.guard) : today.url;
    const fetched = absolute(url, projectUrl);
    const saved = today.options.w;
    const options = dto.options === undefined ? undefined : await this.options(dto.options, saved, fetched, project);
    if (options?.w === undefined || options.w === saved)
      await this.savedHeaders.refuseToLeave(saved, absolute(today.url, projectUrl), fetched, projectUrl);
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
    { w, ...switches }: CheckOptionsInput,
    saved: Sealed | null,
    url: string,
    project: ProjectRow,
  ): Promise<Partial<CheckOptions>> {
    return w === undefined || w === null ? switches : { ...switches, w: await this.savedHeaders.toSave(w, saved, url, project) };
  }
}

const absolute = (url: string, projectUrl: string): string => (isUrl(url, projectUrl) ? new URL(url, projectUrl).href : url);

/** Rules may be supplied at the top and in `status`: those that differ from today's count, at the top first. */
function wantedRules(dto: CheckDto, today: CheckSettings): readonly Rule[] | undefined {
  const top = dto.rules === undefined ? undefined : toRules(dto.rules);
  const inStatus = dto.status?.rules === undefined ? undefined : toRules(dto.status.rules);
  if (top !== undefined && (inStatus === undefined || !same(top, today.rules))) return top;
  return inStatus ?? top;
}
