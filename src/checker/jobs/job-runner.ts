import type { CommandBus } from '@nestjs/cqrs';
import type { Lease } from '../../base/leases.ts';
import type { Wake } from '../../base/wake.ts';
import { ownContext } from '../../commands/context.ts';
import { EndJob } from '../../commands/job/end-job.command.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { JobRow } from '../../projections/job/job.view.ts';
import type { Ran } from '../runs/run-recorder.ts';

export interface JobRunnerOptions {
  readonly commands: CommandBus;
  readonly runs: Pick<RunStore, 'ofJob'>;
  readonly clock: Clock;
  readonly wake: Wake;
}

/** Null: the check is gone. */
export type RunCheck = (checkId: string) => Promise<Ran | null>;

export const jobTopic = (jobId: string): string => `job ${jobId}`;

const TRIES = 3;

/** Runs what somebody started, and ends it. What another checker had done before it died is not done again. */
export class JobRunner {
  private readonly running = new Map<string, Promise<void>>();

  constructor(private readonly options: JobRunnerOptions) {}

  /** A job that runs here already goes on. */
  start(job: JobRow, lease: Lease, runCheck: RunCheck): void {
    const { jobId } = job.request;
    if (this.running.has(jobId)) return;
    const run = this.run(job, lease, runCheck)
      // The shard was lost, or the database is away: whoever has the shard next finds the job still open.
      .catch(() => undefined)
      .finally(() => this.running.delete(jobId));
    this.running.set(jobId, run);
  }

  async settle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private async run(job: JobRow, lease: Lease, runCheck: RunCheck): Promise<void> {
    const { request } = job;
    const began = this.options.clock.now();
    const done = new Set((await this.options.runs.ofJob(request.jobId)).map(({ checkId }) => checkId));
    const open = request.checkIds.filter((checkId) => !done.has(checkId));
    await Promise.all(open.map((checkId) => this.runOne(checkId, job, lease, runCheck)));
    if (lease.signal.aborted) return;
    await this.end(job, began);
  }

  /** Our own trouble is tried again; a check that was deleted meanwhile is passed over. */
  private async runOne(checkId: string, job: JobRow, lease: Lease, runCheck: RunCheck): Promise<void> {
    for (let attempt = 0; attempt < TRIES && !lease.signal.aborted; attempt++) {
      const ran = await runCheck(checkId);
      if (ran?.kind === 'own') continue;
      this.options.wake.ring(jobTopic(job.request.jobId));
      return;
    }
  }

  private async end({ request, chain }: JobRow, began: number): Promise<void> {
    const { clock, commands, runs, wake } = this.options;
    const results = await runs.ofJob(request.jobId);
    const now = clock.now();
    const startedAt = Math.min(began, ...results.map(({ at }) => at));
    const context = ownContext({ kind: 'checker', id: 'checker' }, now, {
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
