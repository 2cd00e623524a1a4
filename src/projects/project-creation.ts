import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SubjectErased } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { CreateProject } from './project.commands.ts';
import { newObjectId } from '../platform/commands/object-ids.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { type Plan, Plans } from '../accounts/plan.ts';
import { initialSettings, type ProjectSettings, settingsProblems } from './project.settings.ts';
import { readSiteUrl } from '../kernel/site-url.ts';
import { InvalidInput, problemOf } from '../kernel/errors.ts';
import type { ProjectRow } from './project.view.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { readCreateProject, UrlInvalid } from './create-project.input.ts';
import type { FirstChecks } from './checks/first-checks.ts';
import { type FirstChecksInput, FirstChecksSettings } from './first-checks-input.ts';
import { ProjectReading } from './project-reading.ts';
import { fieldsOf } from './writable-settings.dto.ts';

@Injectable()
export class ProjectCreation {
  constructor(
    private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Config,
    private readonly plans: Plans,
    private readonly guard: SsrfGuard,
    private readonly reading: ProjectReading,
    private readonly firstChecks: FirstChecksSettings,
    private readonly secrets: Secrets,
  ) {}

  async create(caller: Principal, context: RequestContext, given: unknown, form: 'body' | 'query'): Promise<object> {
    const input = readCreateProject(typeof given === 'object' && given !== null ? { ...given } : {}, form);
    const target = this.guard.readUrl(input.url);
    if (!target.ok) throw new UrlInvalid(`The URL seems to be invalid: ${target.reason}.`);
    const initial = initialSettings(input, this.planOf(caller.plan), this.config.locations[0] ?? 'eu');
    await this.checkSettings(input.settings, initial, () => Promise.resolve(caller.plan));
    const settings = { ...initial, ...input.settings };
    const { preset, aiSuggestions, checks } = input;
    const first = checks === null ? undefined : await this.firstChecksOf(checks, context, settings);
    const { projectId, areaIds } = await this.commands.execute(
      new CreateProject(context, {
        payerId: caller.userId,
        settings,
        beginning: {
          preset,
          ...(aiSuggestions === undefined ? {} : { aiSuggestions }),
          ...(first === undefined ? {} : { checks: first }),
        },
      }),
    );
    if (checks !== null) await this.firstChecks.keepForms(context, projectId, areaIds.slice(preset ? 1 : 0), checks.areas ?? []);
    await context.waitUntilVisible();
    return this.reading.created(projectId);
  }

  /** Undefined: the request is a repeat, and the project was deleted since, with the key of its secrets. */
  private async firstChecksOf(
    given: FirstChecksInput,
    context: RequestContext,
    settings: ProjectSettings,
  ): Promise<FirstChecks | undefined> {
    try {
      return await this.firstChecks.created(given, { id: await newObjectId(this.secrets, context), settings });
    } catch (error) {
      if (context.repeat && error instanceof SubjectErased) return undefined;
      throw error;
    }
  }

  /** The writable fields as they would be if the project were created today, as requests spell them. */
  async initialFields({ settings, payerId }: ProjectRow, patch: object): Promise<object> {
    const read = readSiteUrl('url' in patch && typeof patch.url === 'string' ? patch.url : settings.url);
    const url = read.kind === 'valid' ? read.url : settings.url;
    const plan = this.planOf(await this.reading.planOf({ payerId }));
    return fieldsOf(initialSettings({ url, host: new URL(url).host, period: null }, plan, this.config.locations[0] ?? 'eu'));
  }

  /** Validates changed settings against the installation and the owner's plan; unchanged values are always accepted. */
  async checkSettings(settings: Partial<ProjectSettings>, today: ProjectSettings, planName: () => Promise<string>): Promise<void> {
    const changed = <Name extends keyof ProjectSettings>(name: Name): ProjectSettings[Name] | undefined =>
      settings[name] === today[name] ? undefined : settings[name];
    const [url, uptimeUrl, uptimePeriod, location] = [changed('url'), changed('uptimeUrl'), changed('uptimePeriod'), changed('location')];
    const problems = [
      ...(url === undefined ? [] : this.refusal('url', url)),
      ...(uptimeUrl === undefined || uptimeUrl === '' ? [] : this.refusal('uptimeUrl', uptimeUrl)),
      ...(location === undefined && uptimePeriod === undefined
        ? []
        : settingsProblems({ location, uptimePeriod }, this.planOf(await planName()), this.config.locations)),
    ];
    if (problems.length > 0) throw new InvalidInput(problems.map((problem) => problemOf(problem)));
  }

  private refusal(field: string, url: string): readonly string[] {
    const target = this.guard.readUrl(url);
    return target.ok ? [] : [`${field}: is not a valid URL: ${target.reason}`];
  }

  private planOf(name: string): Plan {
    const plan = this.plans.get(name);
    if (plan === undefined) throw new Error(`the plan ${name} is not configured`);
    return plan;
  }
}
