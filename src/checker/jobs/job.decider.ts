import type { Decider } from '../../kernel/decider.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { JobEvents } from './job.events.ts';
import { jobStream, projectStream } from '../../kernel/stream-names.ts';

export type JobEvent = EventOf<JobEvents>;
/** `barred`: a tombstone. `JobEnded` as the first event of a stream fences off a `JobRequested` that comes late. */
export type Job = 'none' | 'requested' | 'ended' | 'barred';

export const job: Decider<Job, JobEvent> = {
  initial: 'none',
  evolve: (state, event) => (event.type === 'JobRequested' ? 'requested' : state === 'none' ? 'barred' : 'ended'),
};

export const jobTarget = (projectId: string, jobId: string) => ({
  stream: jobStream(jobId),
  scope: projectStream(projectId),
  decider: job,
});

/** A repeated request is the same job. A job without checks ends in the same append, so that no start joins it and no read shows it as under way. */
export function requestJob(state: Job, data: JobEvents['JobRequested'], at: string): readonly JobEvent[] {
  if (state !== 'none') return [];
  const requested = { type: 'JobRequested', data } as const;
  if (data.checkIds.length > 0) return [requested];
  const end = { jobId: data.jobId, startedAt: at, milliseconds: 0, total: 0, failed: 0, because: 'done' } as const;
  return [requested, { type: 'JobEnded', data: end }];
}

/** Writes the tombstone: the claim of a request that never came was given to another job, so the request must not succeed any more. */
export const abandonJob = (state: Job, jobId: string, at: string): readonly JobEvent[] =>
  state === 'none' ? [{ type: 'JobEnded', data: { jobId, startedAt: at, milliseconds: 0, total: 0, failed: 0, because: 'given up' } }] : [];

/** The first end counts; a second one changes nothing. */
export const endJob = (state: Job, data: JobEvents['JobEnded']): readonly JobEvent[] =>
  state === 'requested' ? [{ type: 'JobEnded', data }] : [];
