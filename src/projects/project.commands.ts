import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
import { Claims } from '../platform/postgres/claims.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { Invitations } from '../accounts/tokens/invitations.ts';
import { linkCheck, PRESET_IDS, presetChecks } from './checks/preset.ts';
import { changeSettings, create, inspectHomepage, type NewProject, requireOpenProject } from './project.decider.ts';
import { type Project, type ProjectEvent, projectTarget } from './project.state.ts';
import type { ProjectSettings } from './project.settings.ts';
import type { EventBody } from '../kernel/event.ts';
import { objectIds } from '../platform/commands/object-ids.ts';
import { Plans } from '../accounts/plan.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { createInSlot, newApiKey } from './create-in-slot.ts';
import { type PlanLookup, PROJECT_SLOT } from './project-slot.ts';
import { requireMatch } from '../platform/commands/precondition.ts';
import { wholeProjectTarget } from './project-stream.ts';
import { createCheck, keepSignIns, roomForChecks } from './checks/check.decider.ts';
import { end } from './ending.decider.ts';
import { deleteInParts } from './delete-in-parts.ts';
import { publicArea } from './areas/area.settings.ts';
import { checklist, type Checklist, type ChecklistEvent } from './checks/checklist.decider.ts';
import { createFirstChecks, type FirstChecks } from './checks/first-checks.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { projectTagIn } from './project.view.ts';

/** What a new project begins with beside its settings. */
export interface ProjectBeginning {
  readonly preset: boolean;
  readonly aiSuggestions?: unknown;
  /** The secrets of these are sealed with the key of the project, whose id the command derives (`newObjectId`). */
  readonly checks?: FirstChecks;
}

export interface CreatedProject {
  readonly projectId: string;
  /** The ids of the groups that it began with, in their order. */
  readonly areaIds: readonly string[];
}

export class CreateProject extends CommandOf<{ payerId: number; settings: ProjectSettings; beginning: ProjectBeginning }, CreatedProject> {}

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(
    readonly runner: CommandRunner,
    readonly claims: Claims,
    @Inject(Plans) readonly plans: PlanLookup,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { payerId, settings, beginning } }: CreateProject): Promise<CreatedProject> {
    const { checks, ...begun } = beginning;
    const idAt = await objectIds(this.secrets, context);
    const projectId = idAt(0);
    const target = wholeProjectTarget(projectId);
    const areaIds = await createInSlot(this, context, {
      projectId,
      payerId,
      target,
      apiKey: () => this.keyring.sealFirst(projectStream(projectId), newApiKey()),
      decide: (apiKey) => (before) => {
        const events = begin(before, { projectId, payerId, settings, apiKey, ...begun }, checks, idAt);
        return { events, result: areaIdsOf(events) };
      },
    });
    return { projectId, areaIds: areaIds ?? areaIdsOf((await this.runner.run(target, context, () => [])).events) };
  }
}

/** What a project begins with. Ids are counted as if it had the preset, also where it has not. */
function begin(
  before: readonly [Project, Checklist],
  wanted: NewProject,
  first: FirstChecks | undefined,
  idAt: (ordinal: number) => string,
): readonly (ProjectEvent | ChecklistEvent)[] {
  const ids = Array.from({ length: PRESET_IDS }, (_, index) => idAt(index + 1));
  const begun = [...create(before[0], wanted), ...(wanted.preset ? presetChecks(wanted.settings.url, ids) : [])];
  if (first === undefined) return begun;
  let ordinal = PRESET_IDS;
  const [, list] = begun.reduce<readonly [Project, Checklist]>(wholeProjectTarget(wanted.projectId).decider.evolve, before);
  return [...begun, ...createFirstChecks(list, first, () => idAt(++ordinal))];
}

const areaIdsOf = (events: readonly EventBody[]): readonly string[] =>
  events.flatMap(({ type, data }) => (type === 'AreaCreated' ? [(data as { readonly areaId: string }).areaId] : []));

export class ChangeSettings extends CommandOf<{ projectId: string; settings: Partial<ProjectSettings>; by: number }> {}

@CommandHandler(ChangeSettings)
export class ChangeSettingsHandler implements ICommandHandler<ChangeSettings> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, settings, by } }: ChangeSettings): Promise<void> {
    const { url } = settings;
    const change = (project: Project) => {
      requireMatch(context, () => projectTagIn(projectId, project));
      return changeSettings(project, settings, by);
    };
    if (url === undefined) await this.runner.run(projectTarget(projectId), context, change);
    else
      await this.runner.run(wholeProjectTarget(projectId), context, ([project, list]) => [
        ...change(project),
        ...keepSignIns(list, requireOpenProject(project).settings.url, url),
      ]);
  }
}

export class DeleteProject extends CommandOf<{ projectId: string; by: number }> {}

@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly claims: Claims,
    private readonly invitations: Invitations,
  ) {}

  /** The slot is freed after the fact: a crash in between leaves an orphaned slot, which the sweeper releases. */
  async execute({ context, fields: { projectId, by } }: DeleteProject): Promise<void> {
    await deleteInParts(this.runner, wholeProjectTarget(projectId), context, {
      decide: ([project, list]) => end(project, list, by),
      presentTag: ([project]) => projectTagIn(projectId, project),
    });
    await this.claims.releaseAll(PROJECT_SLOT, projectId);
    await this.invitations.forgetProject(projectId);
  }
}

export interface HomepageLink {
  readonly url: string;
  readonly text: string;
}

/** Records the software behind the homepage, and the pages that it links to. */
export class InspectHomepage extends CommandOf<{
  projectId: string;
  /** The url of the project when the inspection began. */
  url: string;
  isWordPress: boolean;
  links: readonly HomepageLink[];
}> {}

@CommandHandler(InspectHomepage)
export class InspectHomepageHandler implements ICommandHandler<InspectHomepage> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  /** The links of a preset project become checks once, with the first inspection. */
  async execute({ context, fields: { projectId, url, isWordPress, links } }: InspectHomepage): Promise<void> {
    const idOf = await objectIds(this.secrets, context);
    await this.runner.run(wholeProjectTarget(projectId), context, ([project, list]) => {
      // An inspection of a former url of the project says nothing about the current one.
      if (project.kind !== 'open' || project.settings.url !== url) return [];
      const inspected = inspectHomepage(project, isWordPress);
      return [...inspected, ...(project.awaitsLinks && inspected.length > 0 ? linkChecks(list, links, idOf) : [])];
    });
  }
}

/** Ordinal 0 is for the area, which is created again if it was deleted. */
function linkChecks(before: Checklist, links: readonly HomepageLink[], idOf: (ordinal: number) => string): readonly ChecklistEvent[] {
  const fallback = { areaId: idOf(0), settings: publicArea };
  const events: ChecklistEvent[] = [];
  let list = before;
  links.slice(0, roomForChecks(before)).forEach(({ url, text }, index) => {
    const made = createCheck(list, { checkId: idOf(index + 1), areaId: null, settings: linkCheck(text, url), fallback });
    list = made.reduce(checklist.evolve, list);
    events.push(...made);
  });
  return events;
}
