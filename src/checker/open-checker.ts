import type { Guard } from '../security/ssrf-guard/guard.ts';
import type { SampleStore } from '../observations/samples/sample-store.ts';
import { Checker, type CheckerOptions } from './checker.ts';
import type { CheckerStanding } from './checker-meter.ts';
import { type CheckNeeds, openChecks } from './open-checks.ts';
import { largeBodyLimit, Prober } from './probe/prober.ts';
import { openWatches } from './watches/open-watches.ts';

export interface CheckerNeeds
  extends Omit<CheckNeeds, 'prober'>, Pick<CheckerOptions, 'log' | 'leases' | 'locations' | 'peers' | 'onLate'> {
  readonly guard: Guard;
  readonly samples: SampleStore;
}

export interface OpenChecker {
  readonly checker: Checker;
  standing(): CheckerStanding;
  close(): Promise<void>;
}

/** The checker with all that it looks at. */
export function openChecker(needs: CheckerNeeds): OpenChecker {
  const largeBodies = largeBodyLimit();
  const prober = new Prober({ guard: needs.guard, largeBodies });
  const checks = openChecks({ ...needs, prober });
  const watches = openWatches({ ...needs, prober });
  const parts = [watches, checks];
  const queues = { ...checks.queues, ...watches.queues, 'large pages': largeBodies };
  const checker = new Checker({
    ...needs,
    turnsOf: parts.flatMap(({ turnsOf }) => turnsOf),
    carry: (self) => Object.assign({}, ...parts.map((part) => part.carry(self))) as ReturnType<CheckerOptions['carry']>,
    onTaken: (self, projectIds) => {
      for (const part of parts) part.onTaken(self, projectIds);
    },
    onEvent: (self, event) => {
      for (const part of parts) part.onEvent(self, event);
    },
  });
  return {
    checker,
    standing: () => ({ ...checker.standing, queues, queuedMs: checks.queuedMs() }),
    close: async () => {
      await checker.close();
      for (const part of parts) await part.close();
    },
  };
}
