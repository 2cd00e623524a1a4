import type { EntriesOf } from '../kernel/catalogue.ts';

/**
 * The root of a chain that no user started. Only a run or probe that changed something is recorded, in the same append as the change;
 * all others are observations.
 */
export interface ProbeEvents {
  ProbeStarted: {
    readonly projectId: string;
    readonly purpose: 'uptime' | 'certificate' | 'redirect';
    readonly url: string;
    readonly location: string;
    readonly startedAt: string;
    /** Made ahead of schedule, to confirm a suspicion. */
    readonly confirming: boolean;
  };
  RunStarted: {
    readonly projectId: string;
    readonly checkId: string;
    readonly url: string;
    readonly location: string;
    readonly startedAt: string;
    readonly confirming: boolean;
  };
}

export const probeEvents = {
  ProbeStarted: { version: 1, visibility: 'internal' },
  RunStarted: { version: 1, visibility: 'internal' },
} satisfies EntriesOf<ProbeEvents>;
