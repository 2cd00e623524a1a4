import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import { PRESET_IDS, presetChecks } from '../../domain/check/preset.ts';
import { create, ProjectCreationFailed } from '../../domain/project/decisions.ts';
import { projectStream } from '../../domain/project/project.ts';
import type { ProjectSettings } from '../../domain/project/settings.ts';
import { DomainError } from '../../kernel/errors.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { PROJECT_SLOT } from './project-slot.ts';
import { wholeProjectTarget } from './whole-project.ts';

export class ProjectLimitReached extends DomainError {
  readonly code = 'PROJECT_LIMIT_REACHED';
}

/** Answers the new project's id. */
export class CreateProject extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly payerId: number,
    /** Of the payer's plan; null: no bound. */
    readonly maxProjects: number | null,
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
    @Inject(CLAIMS) private readonly claims: Claims,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  /** What nobody foresaw is told as a creation that failed (docs/spec/interface.md#errors); whoever answers logs the cause. */
  async execute(command: CreateProject): Promise<string> {
    try {
      return await this.create(command);
    } catch (error) {
      throw error instanceof DomainError || isTransientDatabaseError(error) ? error : new ProjectCreationFailed({ cause: error });
    }
  }

  /** Claim a place, append, keep the place. A crash in between leaves an unkept claim, which the sweeper decides by a fence in the stream. */
  private async create({ context, payerId, maxProjects, settings, preset, aiSuggestions }: CreateProject): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    const projectId = objectId(secret, context.commandId, 0);
    const target = wholeProjectTarget(projectId);
    // The project may be somebody else's by now, or gone: a repeat takes no place for it.
    if (await this.runner.wasRun(target, context)) {
      await this.runner.run(target, context, () => []);
      return projectId;
    }
    const apiKey = await this.keyring.seal(projectStream(projectId), objectId(randomBytes(32), context.commandId, 1));
    const slot = await this.claims.claimSlot(PROJECT_SLOT, String(payerId), maxProjects, projectId);
    if (slot === null) throw new ProjectLimitReached('The project limit of your subscription is reached.');
    const wanted = { projectId, payerId, settings, apiKey, preset, ...(aiSuggestions === undefined ? {} : { aiSuggestions }) };
    const ids = Array.from({ length: PRESET_IDS }, (_, index) => objectId(secret, context.commandId, index + 1));
    await this.runner.run(target, context, ([project]) => [...create(project, wanted), ...(preset ? presetChecks(settings.url, ids) : [])]);
    await this.claims.keep(PROJECT_SLOT, slot, projectId);
    return projectId;
  }
}
