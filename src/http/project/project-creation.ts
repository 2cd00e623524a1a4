import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import { CreateProject } from '../../commands/project.commands.ts';
import { CONFIG, type Config } from '../../config.ts';
import { PLANS, type Plan, type Plans } from '../../domain/account/plan.ts';
import { type Period, periods, type ProjectSettings } from '../../domain/project/settings.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request-context.ts';
import { type CreateProjectInput, readCreateProject, UrlInvalid } from './create-project.input.ts';
import { ProjectReading } from './project-reading.ts';

const USER_AGENT = 'Mozilla/5.0 (compatible; Watchledger/1.0; site monitoring)';

@Injectable()
export class ProjectCreation {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PLANS) private readonly plans: Plans,
    @Inject(SsrfGuard) private readonly guard: SsrfGuard,
    @Inject(ProjectReading) private readonly reading: ProjectReading,
  ) {}

  async create(caller: Principal, context: RequestContext, given: unknown, form: 'body' | 'query'): Promise<object> {
    const input = readCreateProject(typeof given === 'object' && given !== null ? { ...given } : {}, form);
    const target = this.guard.readUrl(input.url);
    if (!target.ok) throw new UrlInvalid(`The URL seems to be invalid: ${target.reason}.`);
    const plan = this.planOf(caller.plan);
    const settings = this.settingsOf(input, plan);
    const projectId = await this.commands.execute(
      new CreateProject(context, caller.userId, plan.maxProjects, settings, input.preset, input.aiSuggestions),
    );
    await context.waitUntilVisible();
    return this.reading.created(projectId);
  }

  /** Validates changed settings against the installation and the owner's plan; unchanged values are always accepted. */
  checkSettings(settings: Partial<ProjectSettings>, today: ProjectSettings, planName: string): void {
    const changed = <Name extends keyof ProjectSettings>(name: Name): ProjectSettings[Name] | undefined =>
      settings[name] === today[name] ? undefined : settings[name];
    const [url, uptimeUrl, uptimePeriod, location] = [changed('url'), changed('uptimeUrl'), changed('uptimePeriod'), changed('location')];
    const problems = [
      ...(url === undefined ? [] : this.refusal('url', url)),
      ...(uptimeUrl === undefined || uptimeUrl === '' ? [] : this.refusal('uptimeUrl', uptimeUrl)),
      ...(location === undefined || this.config.locations.some((served) => served === location)
        ? []
        : [`location: "${location}" is not served by this installation`]),
    ];
    const least = this.planOf(planName).minUptimePeriod;
    if (uptimePeriod !== undefined && uptimePeriod !== 'false' && Number(uptimePeriod) < least)
      problems.push(`uptimeEnabled: the plan of the owner allows at least ${String(least)} seconds`);
    if (problems.length > 0) throw new InvalidInput(problems.join('; '));
  }

  private refusal(field: string, url: string): readonly string[] {
    const target = this.guard.readUrl(url);
    return target.ok ? [] : [`${field}: is not a valid URL: ${target.reason}`];
  }

  /** docs/spec/decisions.md#P3, #P5, #P6, #P9. */
  private settingsOf(input: CreateProjectInput, plan: Plan): ProjectSettings {
    const url = new URL(input.url);
    return {
      title: input.host,
      url: input.url,
      period: input.period ?? periodOf(plan),
      uptimeUrl: '',
      uptimePeriod: '60',
      location: this.config.locations[0] ?? 'eu',
      checkDefaultErrors: true,
      userAgent: USER_AGENT,
      timeout: 3,
      delay: 50,
      sslAlertPeriod: 14,
      httpsRedirectEnabled: url.protocol === 'https:' && url.port === '',
      webPushEnabled: false,
      securityMonitoringEnabled: false,
    };
  }

  private planOf(name: string): Plan {
    const plan = this.plans.get(name);
    if (plan === undefined) throw new Error(`the plan ${name} is not configured`);
    return plan;
  }
}

const periodOf = (plan: Plan): Period => periods.find((period) => period === plan.defaultPeriod) ?? '1 day';
