import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { endJob, jobTarget, requestJob } from '../../domain/job/job.ts';
import type { JobEvents } from '../../domain/job/job.events.ts';
import { derivedId, objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { joinRunningJob, RUNNING_JOB, runningJobKey } from './running-job.ts';

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
    @Inject(CommandRunner) readonly runner: CommandRunner,
    @Inject(CLAIMS) readonly claims: Claims,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  /** A request that was so slow that somebody barred it begins anew under the next id. */
  async execute({ context, request }: RequestJob): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    for (let ordinal = 0; ; ordinal++) {
      const jobId = await this.request(context, request, objectId(secret, context.commandId, ordinal));
      if (jobId !== null) return jobId;
    }
  }

  /** Null: barred. */
  private async request(context: CommandContext, request: RequestJob['request'], jobId: string): Promise<string | null> {
    const key = runningJobKey(request);
    const target = jobTarget(request.projectId, jobId);
    const before = context.repeat ? await this.runner.read(target) : 'none';
    if (before === 'barred') return null;
    const running = before === 'none' ? await joinRunningJob(this, { key, holder: jobId }) : null;
    if (running !== null) return running;
    const { state, events } = await this.runner.run(target, context, (job) => requestJob(job, { jobId, ...request }));
    if (state === 'barred') return null;
    if (before === 'none') await this.claims.keep(RUNNING_JOB, key, jobId);
    if (request.checkIds.length === 0) await this.endAtOnce(context, request, jobId, events[0]?.meta.occurredAt ?? context.occurredAt);
    return jobId;
  }

  /** Nothing to run is a job that has ended. */
  private async endAtOnce(context: CommandContext, request: RequestJob['request'], jobId: string, startedAt: string): Promise<void> {
    const end = { jobId, startedAt, milliseconds: 0, total: 0, failed: 0, because: 'done' } as const;
    await this.runner.run(jobTarget(request.projectId, jobId), { ...context, commandId: derivedId('end', context.commandId) }, (state) =>
      endJob(state, end),
    );
    await this.claims.release(RUNNING_JOB, runningJobKey(request), jobId);
  }
}
