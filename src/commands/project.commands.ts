import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../persistence/claims.ts';
import { KEYRING, type Keyring } from '../security/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../security/keyring/secrets.ts';
import { INVITATIONS, type Invitations } from '../security/tokens/invitations.ts';
import { isTransientDatabaseError } from '../persistence/transient-database-error.ts';
import { linkCheck, PRESET_IDS, presetChecks } from '../domain/check/preset.ts';
import { changeSettings, create, inspectHomepage, requireOpenProject, ProjectCreationFailed } from '../domain/project/decisions.ts';
import { type Project, projectTarget } from '../domain/project/project.ts';
import type { ProjectSettings } from '../domain/project/settings.ts';
import { DomainError } from '../kernel/errors.ts';
import { derivedObjectId } from '../kernel/ids.ts';
import { accountTarget, type ActiveAccount } from '../domain/account/account.ts';
import { requireOpenAccount } from '../domain/account/decisions.ts';
import { PLANS, type Plans } from '../domain/account/plan.ts';
import type { CommandContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { requireMatch } from './precondition.ts';
import { wholeProjectTarget } from './project-stream.ts';
import { projectTagIn } from './state-tags.ts';
import { createCheck, keepSignIns, roomForChecks } from '../domain/check/decisions.ts';
import { end } from '../domain/project/ending.ts';
import { deleteInParts } from './delete-in-parts.ts';
import { publicArea } from '../domain/area/settings.ts';
import { checklist, type Checklist, type ChecklistEvent } from '../domain/check/checklist.ts';
import { projectStream } from '../domain/stream-names.ts';

/** Kind of claim: one of the slots 1…max that the plan of an account grants. */
export const PROJECT_SLOT = 'project-slot';

export class ProjectLimitReached extends DomainError {
  readonly code = 'PROJECT_LIMIT_REACHED';
}

export type PlanLookup = Pick<Plans, 'get'>;

/** Plan limit: claims a project slot of the account; throws `refusal` if its plan grants no further one. */
export async function claimProjectSlot(
  { claims, plans }: { readonly claims: Claims; readonly plans: PlanLookup },
  { userId, plan: planName }: ActiveAccount,
  projectId: string,
  refusal: string,
): Promise<string> {
  const plan = plans.get(planName);
  if (plan === undefined) throw new Error(`the plan ${planName} is not configured`);
  const slot = await claims.claimSlot(PROJECT_SLOT, String(userId), plan.maxProjects, projectId);
  if (slot === null) throw new ProjectLimitReached(refusal);
  return slot;
}

/** Answers the new project's id. */
export class CreateProject extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly payerId: number,
    readonly settings: ProjectSettings,
    readonly preset: boolean,
    readonly aiSuggestions?: unknown,
  ) {
    super();
  }
}

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) readonly claims: Claims,
    @Inject(PLANS) readonly plans: PlanLookup,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  /** Unexpected errors surface as ProjectCreationFailed (docs/spec/interface.md#errors); the error filter logs the cause. */
  async execute(command: CreateProject): Promise<string> {
    try {
      return await this.create(command);
    } catch (error) {
      throw error instanceof DomainError || isTransientDatabaseError(error) ? error : new ProjectCreationFailed({ cause: error });
    }
  }

  /** Claim a slot, append, keep the slot. A crash in between leaves an unkept claim, which the sweeper decides by a fence in the stream. */
  private async create({ context, payerId, settings, preset, aiSuggestions }: CreateProject): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    const projectId = derivedObjectId(secret, context.commandId, 0);
    const target = wholeProjectTarget(projectId);
    // The project may have been transferred or deleted since, so a repeat claims no slot.
    if (await this.runner.wasRun(target, context)) {
      await this.runner.run(target, context, () => []);
      return projectId;
    }
    const [slot, apiKey] = await Promise.all([
      this.runner
        .read(accountTarget(payerId))
        .then((payer) =>
          claimProjectSlot(this, requireOpenAccount(payer), projectId, 'The project limit of your subscription is reached.'),
        ),
      this.keyring.sealFirst(projectStream(projectId), derivedObjectId(randomBytes(32), context.commandId, 1)),
    ]);
    const wanted = { projectId, payerId, settings, apiKey, preset, ...(aiSuggestions === undefined ? {} : { aiSuggestions }) };
    const ids = Array.from({ length: PRESET_IDS }, (_, index) => derivedObjectId(secret, context.commandId, index + 1));
    const decide = ([project]: readonly [Project, Checklist]) => [
      ...create(project, wanted),
      ...(preset ? presetChecks(settings.url, ids) : []),
    ];
    // A stream that was found empty, or whose id was not in use before.
    await this.runner.run(target, context, decide, { assumeNew: true });
    await this.claims.keep(PROJECT_SLOT, slot, projectId);
    return projectId;
  }
}

export class ChangeSettings extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly settings: Partial<ProjectSettings>,
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(ChangeSettings)
export class ChangeSettingsHandler implements ICommandHandler<ChangeSettings> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, settings, by }: ChangeSettings): Promise<void> {
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

export class DeleteProject extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) private readonly claims: Claims,
    @Inject(INVITATIONS) private readonly invitations: Invitations,
  ) {}

  /** The slot is freed after the fact: a crash in between leaves an orphaned slot, which the sweeper releases. */
  async execute({ context, projectId, by }: DeleteProject): Promise<void> {
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
export class InspectHomepage extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    /** Of the project, as it was when the look began. */
    readonly url: string,
    readonly isWordPress: boolean,
    readonly links: readonly HomepageLink[],
  ) {
    super();
  }
}

@CommandHandler(InspectHomepage)
export class InspectHomepageHandler implements ICommandHandler<InspectHomepage> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  /** The links of a preset project become checks once, with the first look. */
  async execute({ context, projectId, url, isWordPress, links }: InspectHomepage): Promise<void> {
    const secret = await this.secrets.secret('object-ids');
    const idOf = (ordinal: number): string => derivedObjectId(secret, context.commandId, ordinal);
    await this.runner.run(wholeProjectTarget(projectId), context, ([project, list]) => {
      // A look at a former url of the project says nothing about the current one.
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
