import type { Lease } from '../../persistence/leases.ts';
import { confirmationDelay } from '../../domain/uptime/timing.ts';
import type { Clock } from '../../kernel/clock.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { ObservationQueue } from '../../observations/observation-queue.ts';
import type { Sample } from '../../observations/samples/sample.ts';
import type { Carry, Checker } from '../checker.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import type { Prober } from '../probe/prober.ts';
import type { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { keyOf } from '../schedule/conductor.ts';
import type { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { Recurring } from '../schedule/timetable.ts';
import { nullIfQueueFull } from './look.ts';
import type { UptimeKeeper } from './uptime-keeper.ts';
import { sampleOf } from './uptime-sample.ts';

export const UPTIME = 'uptime';
export const UPTIME_AGAIN = 'uptime-again';
const SITE = 'site';

/** So much sooner than its period a probe gives up, so that the next one finds the way free. */
const MARGIN_MS = 20;

export interface UptimeWatchOptions {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly queue: Pick<ObservationQueue<Sample>, 'add'>;
  readonly keeper: UptimeKeeper;
  readonly clock: Clock;
  readonly locks: KeyedMutex;
  readonly atOnce: Pick<ConcurrencyLimit, 'run'>;
  readonly onOwnTrouble: (reason: string) => void;
  readonly report: (error: unknown, what: string) => void;
  /** What a probe saw of the site on the way, such as its certificate. */
  readonly onSeen: (checker: Checker, plan: ProjectPlan, outcome: FetchOutcome) => Promise<void>;
}

export function turnsOfUptime({ project }: ProjectPlan): readonly Recurring[] {
  if (project.settings.uptimePeriod === 'false') return [];
  const periodMs = Number(project.settings.uptimePeriod) * 1000;
  return [{ key: keyOf(UPTIME, project.id, SITE), periodMs, phaseMs: phaseOf(project.id, periodMs) }];
}

/** Asks each site whether it is there. Fetching is the turn; writing and deciding go on behind it, in order, so that no next turn is missed for them. */
export class UptimeWatch {
  private readonly behind = new Set<Promise<void>>();

  constructor(private readonly options: UptimeWatchOptions) {}

  carry(checker: Checker, confirming: boolean): Carry {
    return ({ projectId }, lease) =>
      this.options.locks.runExclusive(`uptime ${projectId}`, () => this.probe(checker, projectId, lease, confirming));
  }

  /** Until everything that was measured is written and decided. */
  async settle(): Promise<void> {
    while (this.behind.size > 0) await Promise.all(this.behind);
  }

  private async probe(checker: Checker, projectId: string, lease: Lease, confirming: boolean): Promise<void> {
    const plan = checker.plans.plan.get(projectId);
    const { uptimePeriod, uptimeUrl, url, timeout, userAgent, location } = plan?.project.settings ?? { uptimePeriod: 'false' };
    if (plan === undefined || url === undefined || uptimePeriod === 'false' || lease.signal.aborted) return;
    const periodSeconds = Number(uptimePeriod);
    const target = uptimeUrl === '' ? url : uptimeUrl;
    const timeoutMs = Math.min(timeout * 1000, periodSeconds * 1000 - MARGIN_MS);
    const looked = await nullIfQueueFull(
      this.options.atOnce.run(async () => {
        const begun = this.options.clock.now();
        return { at: begun, outcome: await this.options.prober.fetch({ url: target, timeoutMs, userAgent, signal: lease.signal }) };
      }),
    );
    if (looked === null) return;
    const { at, outcome } = looked;
    if (outcome.kind === 'inconclusive') {
      this.options.onOwnTrouble(outcome.reason);
      return;
    }
    const { sample, probe } = sampleOf({ at, url: target, location, periodSeconds, outcome });
    const urgent = confirming || sample.outcome !== 'up' || !this.options.keeper.isQuiet(projectId);
    // Of unknown fate: nothing is decided from it, and the time is unknown when it was lost.
    const accepted = this.options.queue.add(lease, projectId, sample, urgent).catch(() => false);
    this.follow(projectId, async () => {
      if (!(await accepted)) return;
      const suspect = await this.options.keeper.record({ projectId, probe, confirming });
      if (suspect) checker.once(UPTIME_AGAIN, projectId, SITE, at + confirmationDelay(periodSeconds));
      await this.options.onSeen(checker, plan, outcome);
    });
  }

  private follow(projectId: string, work: () => Promise<void>): void {
    const done = this.options.locks
      .runExclusive(`decide uptime ${projectId}`, work)
      .catch((error: unknown) => {
        this.options.keeper.forget(projectId);
        this.options.report(error, 'uptime');
      })
      .finally(() => this.behind.delete(done));
    this.behind.add(done);
  }
}
