import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { endJob, jobTarget } from '../../domain/job/job.ts';
import type { JobEvents } from '../../domain/job/job.events.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { RUNNING_JOB, runningJobKey } from './running-job.ts';

export class EndJob extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly request: JobEvents['JobRequested'],
    readonly end: JobEvents['JobEnded'],
  ) {
    super();
  }
}

@CommandHandler(EndJob)
export class EndJobHandler implements ICommandHandler<EndJob> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) private readonly claims: Claims,
  ) {}

  async execute({ context, request, end }: EndJob): Promise<void> {
    await this.runner.run(jobTarget(request.projectId, request.jobId), context, (state) => endJob(state, end));
    await this.claims.release(RUNNING_JOB, runningJobKey(request), request.jobId);
  }
}
