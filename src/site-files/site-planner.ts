import { type OnApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LoadSite } from './site.commands.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { Plans } from '../accounts/plan.ts';
import { initialSettings, type ProjectSettings } from '../projects/project.settings.ts';
import { readSiteUrl } from '../kernel/site-url.ts';
import { decideSite, type Prune } from './site.decider.ts';
import type { SiteState } from './site.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { derivedObjectId } from '../kernel/ids.ts';
import type { ProjectRow } from '../projects/project.view.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { Forbidden } from '../platform/http/errors/refusals.ts';
import { ProjectCreation } from '../projects/project-creation.ts';
import { ProjectReading } from '../projects/project-reading.ts';
import { settingsOf } from '../projects/writable-settings.dto.ts';
import { accessOf, mayUse } from '../accounts/rights/project-rights.ts';
import { requireScopes } from '../accounts/rights/scopes.ts';
import { RuleValidation } from '../projects/checks/rule-validation.ts';
import { permissionsToApply, type PlannedSite, planToken } from './planned-site.ts';
import { referencesIn, resolveSecrets } from './secret-references.ts';
import { siteChanges } from './site-changes.ts';
import type { SiteFile } from './site-file.dto.ts';
import { SiteFileParser } from './site-file-parser.ts';
import { sealSecrets, SiteInput } from './site-input.ts';
import { SiteMembers } from './site-members.ts';
import type { SiteFileText } from './site-plan.dto.ts';

export interface SitePlanOptions {
  readonly prune: Prune;
  readonly keepSecrets: boolean;
  readonly secrets: Readonly<Record<string, string>>;
  /** The name of the plan of the owner. */
  readonly planOf: (row: ProjectRow) => Promise<string>;
}

/** The project exists, and the read models do not show it to the caller. */
export class SiteNotShown extends InvalidInput {
  constructor(key: string) {
    super(`key: ${key} is that of a project that you may not read, or that was created just now; plan again, or choose another`);
  }
}

type LoadedProject = Pick<PlannedSite, 'projectId' | 'before' | 'revision'>;

/** The ids of new objects in a plan, which are others once it is carried out. */
const plannedId = (ordinal: number): string => ordinal.toString(16).padStart(24, '0');
/** Projects with a key that were created and deleted again. */
const MOST_FORMER = 1_000;

/** Plans what site files change, by the code that reads the requests of the API and by the decisions of the domain. */
@Injectable()
export class SitePlanner implements OnApplicationShutdown {
  private readonly input: SiteInput;
  private readonly parser = new SiteFileParser();

  constructor(
    private readonly commands: CommandBus,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly plans: Plans,
    @Inject(CONFIG) private readonly config: Pick<Config, 'locations'>,
    private readonly creation: ProjectCreation,
    private readonly reading: ProjectReading,
    private readonly members: SiteMembers,
    guard: SsrfGuard,
    validation: RuleValidation,
  ) {
    this.input = new SiteInput(guard, validation);
  }

  parse(files: readonly SiteFileText[], account: number): ReturnType<SiteFileParser['parse']> {
    return this.parser.parse(
      files.map(({ name, text }) => ({ name, text })),
      account,
    );
  }

  /** Reads the plan of each owner once. */
  plansOfOwners(): SitePlanOptions['planOf'] {
    const known = new Map<number, Promise<string>>();
    return (row) => {
      const found = known.get(row.payerId) ?? this.reading.planOf(row);
      known.set(row.payerId, found);
      return found;
    };
  }

  /** Refuses what the API would refuse, too. */
  async plan(caller: Principal, file: string, given: SiteFile, row: ProjectRow | null, options: SitePlanOptions): Promise<PlannedSite> {
    const { prune, keepSecrets, secrets } = options;
    const site = referencesIn(given).length === 0 ? given : structuredClone(given);
    const { kept } = resolveSecrets(site, (reference) => secrets[reference] ?? null, { keep: keepSecrets });
    const { projectId, before, revision } = row === null ? await this.newProject(caller, site.key) : await this.load(row.id);
    const planName = row === null ? caller.plan : await options.planOf(row);
    const settings = await this.settings(site, planName, row, before);
    const read = await this.input.read(site, { id: projectId, settings }, kept);
    if (read.problems.length > 0) throw new InvalidInput(read.problems);
    // A project that does not exist has no key yet, and whatever is new differs.
    const wanted = row === null ? read.wanted : await sealSecrets(read.wanted, (text) => this.keyring.seal(projectStream(row.id), text));
    const secret = await this.secrets.secret('object-ids');
    const by = caller.userId;
    const decision = decideSite(before, wanted, {
      by,
      now: Date.now(),
      prune,
      idOf: plannedId,
      ...(row === null && {
        created: { projectId, payerId: by, apiKey: { subject: '', sealed: '' }, preset: site.addPresetChecks ?? false },
      }),
    });
    const access = row === null ? null : accessOf(row.id, row, caller);
    this.requireRights(caller, access, decision);
    const members = await this.members.changes(caller, access, site.members);
    const changes = siteChanges(before, decision.after, by);
    const token = planToken(secret, { projectId, changes, unlisted: decision.unlisted }, members);
    return { file, site, projectId, access, revision, before, decision, changes: [...changes, ...members], members, wanted, prune, token };
  }

  onApplicationShutdown(): Promise<void> {
    return this.parser.close();
  }

  /** Derived from account and key, so that two that apply the same file at once do not create two projects. */
  private async newProject({ userId }: Principal, key: string): Promise<LoadedProject> {
    const secret = await this.secrets.secret('object-ids');
    for (let former = 0; former < MOST_FORMER; former++) {
      const loaded = await this.load(derivedObjectId(secret, `site ${String(userId)} ${key}`, former));
      const [project] = loaded.before;
      if (project.kind === 'none') return loaded;
      if (project.kind === 'open') break;
    }
    throw new SiteNotShown(key);
  }

  private async load(projectId: string): Promise<LoadedProject> {
    const { state: before, revision } = await this.commands.execute(new LoadSite(projectId));
    return { projectId, before, revision };
  }

  /** Those of a new project, with what the file says. */
  private async settings(site: SiteFile, planName: string, row: ProjectRow | null, [project]: SiteState): Promise<ProjectSettings> {
    const read = readSiteUrl(site.url);
    const url = read.kind === 'valid' ? read.url : site.url;
    const plan = this.plans.get(planName);
    if (plan === undefined) throw new Error(`the plan ${planName} is not configured`);
    const initial = initialSettings({ url, host: new URL(url).host, period: null }, plan, this.config.locations[0] ?? 'eu');
    const settings = {
      ...initial,
      ...settingsOf(site, { title: initial.title, uptimeUrl: '' }),
      url,
      ...(site.key === row?.id ? {} : { key: site.key }),
    };
    const today = project.kind === 'open' ? project.settings : { ...initial, url: '' };
    await this.creation.checkSettings(settings, today, () => Promise.resolve(planName));
    return settings;
  }

  private requireRights(caller: Principal, access: PlannedSite['access'], decision: PlannedSite['decision']): void {
    if (decision.events.length === 0) return;
    if (access === null) {
      requireScopes(caller, ['create']);
      if (caller.systemRole === 'auditor' || caller.service !== undefined) throw new Forbidden();
      return;
    }
    const needed = permissionsToApply(decision);
    requireScopes(caller, needed);
    if (needed.some((permission) => !mayUse(access, permission, caller))) throw new Forbidden();
  }
}
