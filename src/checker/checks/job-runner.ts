import { setMaxListeners } from 'node:events';
import { systemContext } from '../../platform/commands/context.ts';
import type { Commands } from '../../platform/commands/command-of.ts';
import { EndJob } from '../jobs/job.commands.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import type { JobRow } from '../jobs/job.view.ts';
import type { ExecutedRun } from '../runs/run-recorder.ts';

export interface JobRunnerOptions {
  readonly commands: Commands;
  readonly runs: Pick<RunStore, 'ofJob'>;
  readonly clock: Clock;
  readonly wake: Pick<Wake, 'ring'>;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/** The lease also ends with the job. */
export type RunCheck = (checkId: string, lease: Lease) => Promise<ExecutedRun>;

export const jobTopic = (jobId: string): string => `job ${jobId}`;

const MAX_ATTEMPTS = 3;
const RETRY_MS = 2_000;

interface RunningJob {
  readonly lease: Lease;
  /** Aborted when another process has ended the job. */
  readonly ended: AbortController;
  readonly done: Promise<void>;
}

/** Runs the checks of jobs and ends the jobs; runs that a previous owner of the shard had stored are not repeated. */
export class JobRunner {
  private readonly running = new Map<string, RunningJob>();

  constructor(private readonly options: JobRunnerOptions) {}

  /** Does nothing for a job that is running under the same lease; after a lost lease it waits for the earlier attempt to stop. */
  start(job: JobRow, lease: Lease, runCheck: RunCheck): void {
    const { jobId } = job.request;
    const known = this.running.get(jobId);
    if (known?.lease === lease) return;
    const ended = new AbortController();
    const signal = AbortSignal.any([lease.signal, ended.signal]);
    // Each run of the job adds a listener.
    setMaxListeners(0, signal);
    const jobLease = { name: lease.name, epoch: lease.epoch, signal, release: () => lease.release() };
    const stopped = known?.done ?? Promise.resolve();
    const run = { lease, ended, done: stopped.then(() => this.runUntilEnded(job, jobLease, runCheck)) };
    this.running.set(jobId, run);
    void run.done.then(() => {
      if (this.running.get(jobId) === run) this.running.delete(jobId);
    });
  }

  /** Another process ended the job: its remaining runs are not started. */
  cancel(jobId: string): void {
    this.running.get(jobId)?.ended.abort();
  }

  async waitUntilIdle(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  /** If the lease is lost, the next owner of the shard finds the job open. */
  private async runUntilEnded(job: JobRow, lease: Lease, runCheck: RunCheck): Promise<void> {
    while (!lease.signal.aborted) {
      if (await this.runOnce(job, lease, runCheck).catch(() => false)) return;
      await this.options.sleep(RETRY_MS);
    }
  }

  /** Returns whether the job has been ended. */
  private async runOnce(job: JobRow, lease: Lease, runCheck: RunCheck): Promise<boolean> {
    const startedAt = this.options.clock.now();
    const stored = await this.storedRuns(job);
    const open = job.request.checkIds.filter((checkId) => !stored.has(checkId));
    const settled = await Promise.all(open.map((checkId) => this.runCheck(checkId, job, lease, runCheck)));
    if (lease.signal.aborted || settled.includes(false)) return false;
    await this.endJob(job, startedAt);
    return true;
  }

  /** Repeats inconclusive runs, and skips a check that was deleted or disabled. Returns false if the lease is lost or the job was cancelled. */
  private async runCheck(checkId: string, job: JobRow, lease: Lease, runCheck: RunCheck): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !lease.signal.aborted; attempt++) {
      if (attempt > 0) await this.options.sleep(RETRY_MS);
      // The earlier attempt may have been stored although it was not acknowledged.
      if (attempt > 0 && (await this.storedRuns(job)).has(checkId)) return true;
      const run = await this.runWhenAdmitted(checkId, lease, runCheck);
      if (run.kind === 'leaseLost') return false;
      if (run.kind === 'inconclusive') continue;
      this.options.wake.ring(jobTopic(job.request.jobId));
      return true;
    }
    return !lease.signal.aborted;
  }

  /** A postponed run was not tried: it waits, like the rest of the job, until the account has room in the queue. */
  private async runWhenAdmitted(checkId: string, lease: Lease, runCheck: RunCheck): Promise<Exclude<ExecutedRun, { kind: 'postponed' }>> {
    for (;;) {
      if (lease.signal.aborted) return { kind: 'leaseLost' };
      const run = await runCheck(checkId, lease);
      if (run.kind !== 'postponed') return run;
      await this.options.sleep(RETRY_MS);
    }
  }

  private async storedRuns({ request }: JobRow): Promise<ReadonlySet<string>> {
    return new Set((await this.options.runs.ofJob(request.projectId, request.jobId)).map(({ checkId }) => checkId));
  }

  private async endJob({ request, chain }: JobRow, startedHere: number): Promise<void> {
    const { clock, commands, runs, wake } = this.options;
    const results = await runs.ofJob(request.projectId, request.jobId);
    const now = clock.now();
    const startedAt = Math.min(startedHere, ...results.map(({ at }) => at));
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
    await commands.execute(new EndJob(context, { request, end }));
    wake.ring(jobTopic(request.jobId));
  }
}
