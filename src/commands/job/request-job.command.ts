import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../base/claims.ts';
import { SECRETS, type Secrets } from '../../base/keyring/secrets.ts';
import { endJob, jobTarget, requestJob } from '../../domain/job/job.ts';
import type { JobEvents } from '../../domain/job/job.events.ts';
import { derivedId, objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';
import { RUNNING_JOB, runningJobKey } from './running-job.ts';

/** Answers the id of the job: the one that runs already when the same is asked for again. */
export class RequestJob extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly request: Omit<JobEvents['JobRequested'], 'jobId'>,
  ) {
    super();
  }
}

@CommandHandler(RequestJob)
export class RequestJobHandler implements ICommandHandler<RequestJob> {
  constructor(
    @Inject(Handling) private readonly handling: Handling,
    @Inject(CLAIMS) private readonly claims: Claims,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async execute({ context, request }: RequestJob): Promise<string> {
    const jobId = objectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const key = runningJobKey(request);
    if (!(await this.claims.claim(RUNNING_JOB, key, jobId))) {
      const running = await this.claims.holderOf(RUNNING_JOB, key);
      if (running !== null) return running;
    }
    const target = jobTarget(request.projectId, jobId);
    const { events } = await this.handling.change(target, context, (state) => requestJob(state, { jobId, ...request }));
    await this.claims.keep(RUNNING_JOB, key, jobId);
    if (request.checkIds.length === 0) await this.endAtOnce(context, request, jobId, events[0]?.meta.occurredAt ?? context.occurredAt);
    return jobId;
  }

  /** Nothing to run is a job that has ended. */
  private async endAtOnce(context: CommandContext, request: RequestJob['request'], jobId: string, startedAt: string): Promise<void> {
    const end = { jobId, startedAt, milliseconds: 0, total: 0, failed: 0, because: 'done' } as const;
    await this.handling.change(
      jobTarget(request.projectId, jobId),
      { ...context, commandId: derivedId('end', context.commandId) },
      (state) => endJob(state, end),
    );
    await this.claims.release(RUNNING_JOB, runningJobKey(request), jobId);
  }
}
