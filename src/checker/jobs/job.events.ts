import type { EntriesOf } from '../../kernel/catalogue.ts';

/** A job that a user started. Its results are observations; a scheduled run has no job of its own in the log. */
export interface JobEvents {
  JobRequested: {
    readonly jobId: string;
    readonly projectId: string;
    /** Null for the whole project. */
    readonly areaId: string | null;
    readonly areaIds: readonly string[];
    readonly checkIds: readonly string[];
    /** docs/spec/decisions.md#J7: 0 whole group or project, 1 selected tests. */
    readonly mode: 0 | 1;
  };
  JobEnded: {
    readonly jobId: string;
    readonly startedAt: string;
    readonly milliseconds: number;
    readonly total: number;
    readonly failed: number;
    /** `given up`: no checker ran it in time. */
    readonly because: 'done' | 'given up';
  };
}

export const jobEvents = { JobRequested: { version: 1 }, JobEnded: { version: 1 } } satisfies EntriesOf<JobEvents>;
