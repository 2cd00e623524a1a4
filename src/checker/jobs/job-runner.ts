import { setMaxListeners } from 'node:events';
import type { CommandBus } from '@nestjs/cqrs';
import type { Lease } from '../../persistence/leases.ts';
import type { Wake } from '../../persistence/wake.ts';
import { systemContext } from '../../commands/context.ts';
import { EndJob } from '../../commands/job.commands.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { JobRow } from '../../projections/read-models/job/job.view.ts';
import type { Ran } from '../runs/run-recorder.ts';

export interface JobRunnerOptions {
  readonly commands: Pick<CommandBus, 'execute'>;
  readonly runs: Pick<RunStore, 'ofJob'>;
  readonly clock: Clock;
  readonly wake: Pick<Wake, 'ring'>;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/** Under a lease that ends with the job too. */
export type RunCheck = (checkId: string, lease: Lease) => Promise<Ran>;

export const jobTopic = (jobId: string): string => `job ${jobId}`;

const TRIES = 3;
/** After trouble of our own, such as a database that is away. */
const AGAIN_MS = 2_000;

interface Running {
  readonly lease: Lease;
  /** Aborted when somebody else ended the job. */
  readonly ended: AbortController;
  readonly over: Promise<void>;
}

/** Runs what somebody started, and ends it. What another checker had done before it died is not done again. */
export class JobRunner {
  private readonly running = new Map<string, Running>();

  constructor(private readonly options: JobRunnerOptions) {}

  /** A job that runs here already goes on; under a lease that was lost it ends first. */
  start(job: JobRow, lease: Lease, runCheck: RunCheck): void {
    const { jobId } = job.request;
    const known = this.running.get(jobId);
    if (known?.lease === lease) return;
    const ended = new AbortController();
    const signal = AbortSignal.any([lease.signal, ended.signal]);
    // Every run of the job listens.
    setMaxListeners(0, signal);
    const own = { name: lease.name, epoch: lease.epoch, signal, release: () => lease.release() };
    const run = { lease, ended, over: (known?.over ?? Promise.resolve()).then(() => this.untilEnded(job, own, runCheck)) };
    this.running.set(jobId, run);
    void run.over.then(() => {
      if (this.running.get(jobId) === run) this.running.delete(jobId);
    });
  }

  /** By somebody else, who gave it up or held the shard before: what is left of it is not begun. */
  ended(jobId: string): void {
    this.running.get(jobId)?.ended.abort();
  }

  async settle(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ over }) => over));
  }

  /** When the shard is lost, whoever has it next finds the job still open. */
  private async untilEnded(job: JobRow, lease: Lease, runCheck: RunCheck): Promise<void> {
    while (!lease.signal.aborted) {
      if (await this.run(job, lease, runCheck).catch(() => false)) return;
      await this.options.sleep(AGAIN_MS);
    }
  }

  private async run(job: JobRow, lease: Lease, runCheck: RunCheck): Promise<boolean> {
    const { request } = job;
    const began = this.options.clock.now();
    const done = await this.done(job);
    const open = request.checkIds.filter((checkId) => !done.has(checkId));
    const counted = await Promise.all(open.map((checkId) => this.runOne(checkId, job, lease, runCheck)));
    if (lease.signal.aborted || counted.includes(false)) return false;
    await this.end(job, began);
    return true;
  }

  /** Our own trouble is tried again; a check that was deleted or switched off meanwhile is passed over. False: the shard is somebody else's, or the job is over. */
  private async runOne(checkId: string, job: JobRow, lease: Lease, runCheck: RunCheck): Promise<boolean> {
    for (let attempt = 0; attempt < TRIES && !lease.signal.aborted; attempt++) {
      if (attempt > 0) await this.options.sleep(AGAIN_MS);
      // It may have been taken in, and the answer was lost.
      if (attempt > 0 && (await this.done(job)).has(checkId)) return true;
      const ran = await runCheck(checkId, lease);
      if (ran.kind === 'lost') return false;
      if (ran.kind === 'inconclusive') continue;
      this.options.wake.ring(jobTopic(job.request.jobId));
      return true;
    }
    return !lease.signal.aborted;
  }

  private async done({ request }: JobRow): Promise<ReadonlySet<string>> {
    return new Set((await this.options.runs.ofJob(request.jobId)).map(({ checkId }) => checkId));
  }

  private async end({ request, chain }: JobRow, began: number): Promise<void> {
    const { clock, commands, runs, wake } = this.options;
    const results = await runs.ofJob(request.jobId);
    const now = clock.now();
    const startedAt = Math.min(began, ...results.map(({ at }) => at));
    const context = systemContext({ kind: 'checker', id: 'checker' }, now, {
      commandId: derivedId('end', request.jobId),
      chain,
      repeat: false,
    });
    const end = {
      jobId: request.jobId,
      startedAt: new Date(startedAt).toISOString(),
      milliseconds: now - startedAt,
      total: results.length,
      failed: results.filter(({ whole }) => 'status' in whole && whole.status !== 'ok').length,
      because: 'done',
    } as const;
    await commands.execute(new EndJob(context, request, end));
    wake.ring(jobTopic(request.jobId));
  }
}
