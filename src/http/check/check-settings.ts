import { Inject, Injectable } from '@nestjs/common';
import { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import type { Rule } from '../../domain/check/rule.ts';
import type { CheckOptions, CheckSettings, WantedCheck } from '../../domain/check/settings.ts';
import { same } from '../../kernel/change.ts';
import type { Sealed } from '../../kernel/event.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { TrialService } from '../trial/trial.service.ts';
import type { CheckDto, CheckOptionsInput } from './check.dto.ts';
import { readCheckUrl } from './check-url.ts';
import { toRules } from './rule.dto.ts';
import { projectStream } from '../../domain/stream-names.ts';

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
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(TrialService) private readonly trials: TrialService,
  ) {}

  async created(dto: CheckDto, project: ProjectRow): Promise<CheckSettings> {
    const url = readCheckUrl(dto.url, project.settings.url, this.guard);
    const { options, template, ...rest } = await this.changed(dto, project, defaultSettings);
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
    return {
      ...(dto.url !== undefined && dto.url !== today.url ? { url: readCheckUrl(dto.url, project.settings.url, this.guard) } : {}),
      ...(dto.name === undefined ? {} : { name: dto.name }),
      ...(dto.enabled === undefined ? {} : { enabled: dto.enabled }),
      ...(dto.notice === undefined ? {} : { notice: dto.notice }),
      ...(dto.type === undefined ? {} : { type: dto.type }),
      ...(rules === undefined ? {} : { rules }),
      ...(dto.options === undefined ? {} : { options: await this.options(dto.options, project.id) }),
      template: {
        ...(dto.templateId === undefined ? {} : { id: dto.templateId }),
        ...(dto.templateVars === undefined ? {} : { vars: dto.templateVars }),
      },
    };
  }

  private async options({ w, ...switches }: CheckOptionsInput, projectId: string): Promise<Partial<CheckOptions>> {
    return w === undefined || w === null ? switches : { ...switches, w: await this.sealed(w, projectId) };
  }

  private sealed(headers: string, projectId: string): Promise<Sealed | null> {
    return headers === '' ? Promise.resolve(null) : this.keyring.seal(projectStream(projectId), headers);
  }
}

/** Rules may be supplied at the top and in `status`: those that differ from today's count, at the top first. */
function wantedRules(dto: CheckDto, today: CheckSettings): readonly Rule[] | undefined {
  const top = dto.rules === undefined ? undefined : toRules(dto.rules);
  const inStatus = dto.status?.rules === undefined ? undefined : toRules(dto.status.rules);
  if (top !== undefined && (inStatus === undefined || !same(top, today.rules))) return top;
  return inStatus ?? top;
}
