import { confirmationDelay, type SampleOutcome } from '../../platform/observations/samples/sample.ts';
import type { Clock } from '../../kernel/clock.ts';
import { lastOccurrence } from '../../kernel/recurrence.ts';
import type { Tail } from '../../platform/observations/packs/pack-tail.ts';
import type { CheckerContext } from '../../checker/checker.ts';
import type { RetryOptions } from '../../checker/shards/retry-while-lease-held.ts';
import { siteTurn } from './site-look.ts';
import { uptimeTurns } from './uptime-watch.ts';

export interface MissedProbesOptions {
  readonly checker: CheckerContext;
  /** What was observed of the projects in the last two periods. */
  readonly tail: Tail<SampleOutcome>;
  readonly clock: Clock;
  readonly sleep: RetryOptions['sleep'];
}

/** Projects between two pauses, in which other work goes on. */
const AT_ONCE = 50;

/**
 * Makes up for what fell into a shard handover: the probe that was due while no checker owned the shard, and the one that has to confirm a failure. After
 * a longer absence nothing is made up for: its time is unknown in any case, and all sites of the shard would be probed at once.
 */
export async function resumeProbes(
  projectIds: readonly string[],
  takenAt: number,
  { checker, tail, clock, sleep }: MissedProbesOptions,
): Promise<void> {
  for (const [index, projectId] of projectIds.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await sleep(0);
    const watched = checker.projects.get(projectId);
    const [uptime] = watched === undefined ? [] : uptimeTurns(watched);
    if (uptime === undefined || checker.leaseOf(projectId) === undefined) continue;
    const due = lastOccurrence(uptime, takenAt);
    const seen = tail.between(projectId, due - uptime.periodMs, due + uptime.periodMs);
    const [before, last] = [seen.at(-2), seen.at(-1)];
    if (last === undefined) continue;
    if (last.outcome !== 'up' && before?.outcome === 'up')
      checker.scheduleOnce(siteTurn('uptime-again', projectId), last.at + confirmationDelay(last.periodSeconds));
    // The next occurrence has begun, or will within moments, if reading took so long.
    if (last.at < due && clock.now() < due + uptime.periodMs) checker.scheduleOnce(uptime.turn, clock.now());
  }
}
