import type { Decider } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { JobEvents } from './job.events.ts';

export type JobEvent = { [Type in keyof JobEvents]: EventBody<Type, JobEvents[Type]> }[keyof JobEvents];
export type Job = 'none' | 'requested' | 'ended';

export const job: Decider<Job, JobEvent> = {
  initial: 'none',
  evolve: (_, event) => (event.type === 'JobRequested' ? 'requested' : 'ended'),
};

export const jobTarget = (projectId: string, jobId: string) => ({ stream: `job-${jobId}`, scope: `project-${projectId}`, decider: job });

/** A repeated request is the same job. */
export const requestJob = (state: Job, data: JobEvents['JobRequested']): readonly JobEvent[] =>
  state === 'none' ? [{ type: 'JobRequested', data }] : [];

/** Ended once, whoever else thought that it was his to end. */
export const endJob = (state: Job, data: JobEvents['JobEnded']): readonly JobEvent[] =>
  state === 'requested' ? [{ type: 'JobEnded', data }] : [];
