import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { Claims } from '../../platform/postgres/claims.ts';
import { abandonJob, endJob, type Job, jobTarget, requestJob } from './job.decider.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import { budgetsOf, Plans } from '../../accounts/plan.ts';
import { DomainError } from '../../kernel/errors.ts';
import { derivedId } from '../../kernel/ids.ts';
import { objectIds } from '../../platform/commands/object-ids.ts';
import { type CommandContext, systemContext } from '../../platform/commands/context.ts';
import type { PlanLookup } from '../../projects/project-slot.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import type { JobEvents } from './job.events.ts';
import { JOB_SLOT } from '../../accounts/budgets/account-budgets.ts';

/** Kind of claim: of several starts of the same, one runs and the others join it (docs/spec/decisions.md#empty-and-first-values). */
export const RUNNING_JOB = 'running-job';

export class TooManyJobs extends DomainError {
  readonly code = 'TOO_MANY_JOBS';

  constructor(max: number) {
    super(`The owner of this project may have at most ${String(max)} jobs running. Wait for one to end, then retry.`);
  }
}

export const runningJobKey = ({
  projectId,
  areaId,
  mode,
  checkIds,
}: {
  projectId: string;
  areaId: string | null;
  mode: number;
  checkIds: readonly string[];
}): string => (mode === 0 ? `${projectId} ${areaId ?? 'all'}` : `${projectId} ${derivedId(...[...checkIds].sort())}`);

/** A claim of a running job; its key begins with the project id. */
interface RunningJob {
  readonly key: string;
  readonly holder: string;
}

/** Fences off a job whose claim was taken but whose request never came. Answers the state of its stream; `requested`: the request was faster. */
export async function barJob(
  runner: CommandRunner,
  { key, holder: jobId }: RunningJob,
  now: number,
  gate?: CommandContext['gate'],
): Promise<Job> {
  const context = systemContext({ kind: 'reactor', id: 'sweeper' }, now, {
    commandId: derivedId('fence', RUNNING_JOB, key, jobId),
    gate,
  });
  const target = jobTarget(key.split(' ')[0] ?? '', jobId);
  return (await runner.run(target, context, (job) => abandonJob(job, jobId, new Date(now).toISOString()))).state;
}

interface JoinOptions extends Pick<CommandContext, 'gate'> {
  /** Between a claim and its request lies one append. */
  readonly requestMs?: number;
  readonly lookMs?: number;
}

/** Answers null when the claim is ours, else the id of the job that is under way. */
export async function joinRunningJob(
  { claims, runner }: { readonly claims: Claims; readonly runner: CommandRunner },
  { key, holder: jobId }: RunningJob,
  { gate, requestMs = 2_000, lookMs = 20 }: JoinOptions = {},
): Promise<string | null> {
  let awaited = { holder: '', until: 0 };
  for (;;) {
    if (await claims.claim(RUNNING_JOB, key, jobId)) return null;
    const holder = await claims.holderOf(RUNNING_JOB, key);
    if (holder === null) continue;
    if (awaited.holder !== holder) awaited = { holder, until: performance.now() + requestMs };
    const standing = await runner.read(jobTarget(key.split(' ')[0] ?? '', holder));
    const late = standing === 'none' && performance.now() >= awaited.until;
    const state = late ? await barJob(runner, { key, holder }, Date.now(), gate) : standing;
    if (state === 'requested') return holder;
    // The job has ended, so the claim is an orphan of a crash, or is being released at this moment.
    if (state !== 'none') await claims.release(RUNNING_JOB, key, holder);
    else await new Promise((again) => setTimeout(again, lookMs));
  }
}

/** Answers the id of the job: the one that runs already when the same is asked for again. */
export class RequestJob extends CommandOf<
  {
    request: Omit<JobEvents['JobRequested'], 'jobId'>;
    /** The account whose running jobs are bounded: the project's, as its members see it, also where an event of the project was skipped. */
    payerId: number;
  },
  string
> {}

@CommandHandler(RequestJob)
export class RequestJobHandler implements ICommandHandler<RequestJob> {
  constructor(
    readonly runner: CommandRunner,
    readonly claims: Claims,
    private readonly secrets: Secrets,
    @Inject(Plans) private readonly plans: PlanLookup,
  ) {}

  /** A request that was fenced off because it was too slow starts again under the next id. */
  async execute({ context, fields: { request, payerId } }: RequestJob): Promise<string> {
    context.gate?.check();
    const idOf = await objectIds(this.secrets, context);
    for (let ordinal = 0; ; ordinal++) {
      const jobId = await this.request(context, { request, payerId }, idOf(ordinal));
      if (jobId !== null) return jobId;
    }
  }

  /** Answers null when the job is barred: the request was fenced off. */
  private async request(context: CommandContext, { request, payerId }: RequestJob['fields'], jobId: string): Promise<string | null> {
    const key = runningJobKey(request);
    const target = jobTarget(request.projectId, jobId);
    const before = context.repeat ? await this.runner.read(target) : 'none';
    if (before === 'barred') return null;
    const running = before === 'none' ? await joinRunningJob(this, { key, holder: jobId }, { gate: context.gate }) : null;
    if (running !== null) return running;
    const slot = before === 'none' && request.checkIds.length > 0 ? await this.claimSlot(payerId, key, jobId) : null;
    const { state } = await this.runner.run(target, context, (job) => requestJob(job, { jobId, ...request }, context.occurredAt));
    if (state === 'barred') return null;
    if (slot !== null) await this.claims.keep(JOB_SLOT, slot, jobId);
    if (request.checkIds.length === 0) await this.claims.release(RUNNING_JOB, key, jobId);
    else if (before === 'none') await this.claims.keep(RUNNING_JOB, key, jobId);
    return jobId;
  }

  /** Claims a job slot of the account that owns the project; null when the account does not exist any more, or has no bound. */
  private async claimSlot(payerId: number, key: string, jobId: string): Promise<string | null> {
    const owner = await this.runner.read(accountTarget(payerId));
    if (owner.kind !== 'open') return null;
    const max = budgetsOf(this.plans.get(owner.plan)).runningJobs;
    const slot = await this.claims.claimSlot(JOB_SLOT, String(owner.userId), max, jobId);
    if (slot !== null || max === null) return slot;
    await this.claims.release(RUNNING_JOB, key, jobId);
    throw new TooManyJobs(max);
  }
}

/** As `RequestJob`, for the double clicks of one instance: concurrent equal starts are coalesced into one request. */
export class StartJob extends RequestJob {}

@CommandHandler(StartJob)
export class StartJobHandler implements ICommandHandler<StartJob> {
  private readonly inProgress = new Map<string, Promise<string>>();

  constructor(private readonly requests: RequestJobHandler) {}

  /** A retry must find its own write, and so is not coalesced. */
  async execute(command: StartJob): Promise<string> {
    if (command.context.repeat) return this.requests.execute(command);
    const key = runningJobKey(command.fields.request);
    for (let first = this.inProgress.get(key); first !== undefined; first = this.inProgress.get(key)) {
      const joined = await first.catch(() => null);
      if (joined !== null) return joined;
    }
    const own = this.requests.execute(command);
    this.inProgress.set(key, own);
    return own.finally(() => this.inProgress.delete(key));
  }
}

export class EndJob extends CommandOf<{ request: JobEvents['JobRequested']; end: JobEvents['JobEnded'] }> {}

@CommandHandler(EndJob)
export class EndJobHandler implements ICommandHandler<EndJob> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly claims: Claims,
  ) {}

  async execute({ context, fields: { request, end } }: EndJob): Promise<void> {
    await this.runner.run(jobTarget(request.projectId, request.jobId), context, (state) => endJob(state, end));
    await this.claims.release(RUNNING_JOB, runningJobKey(request), request.jobId);
    await this.claims.releaseAll(JOB_SLOT, request.jobId);
  }
}
