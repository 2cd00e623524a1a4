import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../base/claims.ts';
import { checklist } from '../../domain/check/checklist.ts';
import { clear } from '../../domain/check/decisions.ts';
import { remove } from '../../domain/project/decisions.ts';
import { project, projectStream } from '../../domain/project/project.ts';
import { pair } from '../../kernel/decider.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';
import { PROJECT_SLOT } from './project-slot.ts';

export class DeleteProject extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
  ) {
    super();
  }
}

/** Its groups and checks go with it, in one append. */
const wholeProject = pair(project, checklist);

@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(
    @Inject(Handling) private readonly handling: Handling,
    @Inject(CLAIMS) private readonly claims: Claims,
  ) {}

  /** The slot is freed after the fact: a crash in between leaves a slot taken, which the next start gives back. */
  async execute({ context, projectId }: DeleteProject): Promise<void> {
    const stream = projectStream(projectId);
    await this.handling.change({ stream, scope: stream, decider: wholeProject }, context, ([state, list]) => [
      ...clear(list),
      ...remove(state),
    ]);
    await this.claims.releaseAll(PROJECT_SLOT, projectId);
  }
}
