import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Wake } from '../../platform/postgres/wake.ts';
import { JobReading, type JobResults } from './job-reading.ts';

const POLL_MS = 500;
const FAST_POLL_MS = 15;
const FAST_POLLS = 20;

/** Follows a job until it ends or the signal aborts. */
@Injectable()
export class JobWait implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly wake: Wake,
    private readonly reading: JobReading,
  ) {}

  /** The waits end, and their answers are sent, before connections are closed: the job itself continues. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Reads no results. */
  async waitForEnd(projectId: string, jobId: string, disconnected: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([disconnected, this.stopping.signal]);
    const bell = this.wake.bell(`job ${jobId}`);
    try {
      for (let fastPolls = 0; !signal.aborted; fastPolls--) {
        if ((await this.reading.row(projectId, jobId)).end !== null) return;
        // After a ring the end of the job may still be on its way through the read models: poll faster for a while.
        if (await bell.wait(fastPolls > 0 ? FAST_POLL_MS : POLL_MS, signal)) fastPolls = FAST_POLLS;
      }
    } finally {
      bell.close();
    }
  }

  /** Yields the results whenever there are new ones, finally with the job's end. */
  async *follow(projectId: string, jobId: string, disconnected: AbortSignal): AsyncGenerator<JobResults> {
    const signal = AbortSignal.any([disconnected, this.stopping.signal]);
    const bell = this.wake.bell(`job ${jobId}`);
    try {
      for (let seen = -1; !signal.aborted;) {
        const results = await this.reading.results(await this.reading.row(projectId, jobId), Date.now());
        if (results.processed || results.results.length > seen) yield results;
        if (results.processed) return;
        seen = results.results.length;
        // With the last result, the end of the job is on its way through the read models.
        await bell.wait(seen >= results.total ? FAST_POLL_MS : POLL_MS, signal);
      }
    } finally {
      bell.close();
    }
  }
}
