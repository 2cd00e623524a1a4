import type { EntriesOf } from '../../kernel/catalogue.ts';

/**
 * Where a chain begins that nobody started by hand. Only a run or probe that changed something is written, in the same append as what it changed;
 * all others are observations.
 */
export interface ProbeEvents {
  ProbeStarted: {
    readonly projectId: string;
    readonly purpose: 'uptime' | 'certificate' | 'redirect';
    readonly url: string;
    readonly location: string;
    readonly startedAt: string;
    /** A second look at a suspicion, sooner than the schedule would have looked. */
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
