import { Inject, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { WAKE, type Wake } from '../../persistence/wake.ts';
import { JobReading, type JobResults } from './job-reading.ts';

const LOOK_MS = 500;
const NEAR_MS = 15;
const NEAR_LOOKS = 20;

/** Follows a job until it has ended, the signal says so, or nobody listens any more. */
@Injectable()
export class JobWait {
  constructor(
    @Inject(WAKE) private readonly wake: Wake,
    @Inject(JobReading) private readonly reading: JobReading,
  ) {}

  /** Until the job has ended. What it found so far is of no interest, so nothing of it is read. */
  async ended(projectId: string, jobId: string, signal: AbortSignal): Promise<void> {
    const bell = this.wake.bell(`job ${jobId}`);
    try {
      for (let near = 0; !signal.aborted; near--) {
        if ((await this.reading.row(projectId, jobId)).end !== null) return;
        // A ring may have been the last: the end is then on its way through the read models.
        if (await bell.wait(near > 0 ? NEAR_MS : LOOK_MS, signal)) near = NEAR_LOOKS;
      }
    } finally {
      bell.close();
    }
  }

  /** Answers the results each time there is something new, the last time with the job's end. */
  async *follow(projectId: string, jobId: string, signal: AbortSignal): AsyncGenerator<JobResults> {
    const bell = this.wake.bell(`job ${jobId}`);
    try {
      for (let seen = -1; !signal.aborted;) {
        const results = await this.reading.results(await this.reading.row(projectId, jobId), Date.now());
        if (results.processed || results.results.length > seen) yield results;
        if (results.processed) return;
        seen = results.results.length;
        // The last result is there: the end is on its way through the read models.
        await bell.wait(seen >= results.total ? NEAR_MS : LOOK_MS, signal);
      }
    } finally {
      bell.close();
    }
  }
}

/** Aborted when the client goes away before its answer is over; at once when it has gone already, and nothing will tell of it any more. */
export function goneOf({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  if (raw.closed) return AbortSignal.abort();
  const gone = new AbortController();
  raw.once('close', () => {
    gone.abort();
  });
  return gone.signal;
}
