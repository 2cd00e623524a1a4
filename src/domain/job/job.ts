import type { Decider } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { JobEvents } from './job.events.ts';

export type JobEvent = { [Type in keyof JobEvents]: EventBody<Type, JobEvents[Type]> }[keyof JobEvents];
/** `barred`: it ended before its request came, which therefore cannot come any more. */
export type Job = 'none' | 'requested' | 'ended' | 'barred';

export const job: Decider<Job, JobEvent> = {
  initial: 'none',
  evolve: (state, event) => (event.type === 'JobRequested' ? 'requested' : state === 'none' ? 'barred' : 'ended'),
};

export const jobTarget = (projectId: string, jobId: string) => ({ stream: `job-${jobId}`, scope: `project-${projectId}`, decider: job });

/** A repeated request is the same job. */
export const requestJob = (state: Job, data: JobEvents['JobRequested']): readonly JobEvent[] =>
  state === 'none' ? [{ type: 'JobRequested', data }] : [];

/** A request that never came is barred from coming late: its claim was given to somebody else. */
export const abandonJob = (state: Job, jobId: string, at: string): readonly JobEvent[] =>
  state === 'none' ? [{ type: 'JobEnded', data: { jobId, startedAt: at, milliseconds: 0, total: 0, failed: 0, because: 'given up' } }] : [];

/** Ended once, whoever else thought that it was his to end. */
export const endJob = (state: Job, data: JobEvents['JobEnded']): readonly JobEvent[] =>
  state === 'requested' ? [{ type: 'JobEnded', data }] : [];
