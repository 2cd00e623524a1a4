import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { hash32 } from '../../kernel/hash.ts';
import { InspectionStore } from '../../observations/inspections/inspection-store.ts';
import { ObservationQueue } from '../../observations/observation-queue.ts';
import type { Sample } from '../../observations/samples/sample.ts';
import type { SampleStore } from '../../observations/samples/sample-store.ts';
import { certificateView } from '../../projections/read-models/certificate/certificate.view.ts';
import type { Views } from '../../projections/views/views.ts';
import { redirectView } from '../../projections/read-models/redirect/redirect.view.ts';
import type { Carry, Checker } from '../checker.ts';
import type { Prober } from '../probe/prober.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { QueueGauge } from '../checker-meter.ts';
import type { TurnsOf } from '../schedule/conductor.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { type Patience, whileOurs } from '../while-ours.ts';
import { CERTIFICATE, CertificateWatch, turnsOfCertificate } from './certificate-watch.ts';
import { HOMEPAGE, HomepageLook, turnsOfHomepage } from './homepage-look.ts';
import { insisting, LOOK } from './look.ts';
import { REDIRECT, RedirectWatch, turnsOfRedirect } from './redirect-watch.ts';
import { UptimeKeeper } from './uptime-keeper.ts';
import { turnsOfUptime, UPTIME, UPTIME_AGAIN, UptimeWatch } from './uptime-watch.ts';

export interface WatchNeeds extends Omit<WatchParts, 'samples' | 'queue' | 'looks' | 'sleep'> {
  readonly pool: pg.Pool;
  readonly samples: SampleStore;
}

export interface WatchParts extends Patience {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly samples: Pick<SampleStore, 'outcomes'>;
  /** Takes in what was measured. */
  readonly queue: Pick<ObservationQueue<Sample>, 'add'>;
  readonly looks: Pick<InspectionStore, 'accept' | 'latest'>;
  readonly views: Views;
  readonly commands: CommandBus;
  readonly clock: Clock;
  readonly onOwnTrouble: (reason: string) => void;
}

export interface Watches {
  readonly queues: Readonly<Record<string, QueueGauge>>;
  readonly turnsOf: readonly TurnsOf[];
  carry(checker: Checker): Readonly<Record<string, Carry>>;
  onTaken(checker: Checker, projectIds: readonly string[]): void;
  onEvent(checker: Checker, event: LogEvent): void;
  close(): Promise<void>;
}

/** A site that does not answer holds its place for as long as its timeout: there must be places enough for many such. */
const PROBES_AT_ONCE = 500;
const LOOKS_AT_ONCE = 20;
/** Ten times as long as it takes where none answers before the usual timeout; who comes then finds its next turn soon enough. */
const PROBES_WAITING = 5_000;
const LOOKS_WAITING = 1_000;
const FLUSH_MS = 1_000;
/** A first look comes within so long, spread over all sites of a shard that was just taken. */
const SOON_MS = 30_000;

/** After these a look cannot wait for its turn. */
const looksAfter: Readonly<Record<string, readonly string[]>> = {
  ProjectCreated: [CERTIFICATE, REDIRECT, HOMEPAGE],
  ProjectUrlChanged: [CERTIFICATE, REDIRECT, HOMEPAGE],
  CertificateAlertPeriodChanged: [CERTIFICATE],
  RedirectWatchSwitched: [REDIRECT],
};

/** Uptime, certificate and redirect of every project that this checker holds. */
export function openWatches(needs: WatchNeeds): Watches {
  const queue = new ObservationQueue<Sample>(needs.samples, { flushMs: FLUSH_MS });
  const watches = watchesOver({ ...needs, queue, looks: new InspectionStore(needs.pool), sleep });
  return {
    ...watches,
    close: async () => {
      await queue.drain().catch(() => undefined);
      await watches.close();
    },
  };
}

/** The same over whatever takes the measurements in. */
export function watchesOver(parts: WatchParts): Watches {
  const { prober, samples, queue, views, commands, clock, onOwnTrouble, report } = parts;
  const keeper = new UptimeKeeper({ commands, samples, clock });
  const probes = new ConcurrencyLimit(PROBES_AT_ONCE, { maxQueue: PROBES_WAITING });
  const looks = new ConcurrencyLimit(LOOKS_AT_ONCE, { maxQueue: LOOKS_WAITING });
  const looking = { prober, commands, clock, onOwnTrouble, atOnce: looks };
  const certificates = new CertificateWatch(looking, parts.looks);
  const homepages = new HomepageLook(looking);
  const redirects = new RedirectWatch(looking, parts.looks);
  const uptime = new UptimeWatch({
    ...{ prober, queue, keeper, clock, onOwnTrouble, report },
    locks: new KeyedMutex(),
    atOnce: probes,
    onSeen: (checker, plan, outcome) => certificates.passedBy(checker, plan, outcome),
  });
  const soon = (checker: Checker, kind: string, projectId: string): void => {
    checker.once(kind, projectId, LOOK, clock.now() + (hash32(`${kind} ${projectId}`) % SOON_MS));
  };
  /** What a checker before this one did not come to. */
  const makeUp = async (checker: Checker, projectIds: readonly string[]): Promise<void> => {
    const [seen, redirected, lastSeen, lastRedirected] = await Promise.all([
      views.many(certificateView, projectIds, 'as before'),
      views.many(redirectView, projectIds, 'as before'),
      parts.looks.latest('certificate', projectIds),
      parts.looks.latest('redirect', projectIds),
    ]);
    for (const projectId of projectIds) {
      const plan = checker.plans.plan.get(projectId);
      if (plan === undefined) continue;
      if (certificates.takeOver(checker, plan, seen.get(projectId), lastSeen.get(projectId))) soon(checker, CERTIFICATE, projectId);
      if (redirects.takeOver(plan, redirected.get(projectId), lastRedirected.get(projectId))) soon(checker, REDIRECT, projectId);
      if (plan.project.isWordPress === null) soon(checker, HOMEPAGE, projectId);
    }
  };
  return {
    queues: { probes, looks },
    turnsOf: [turnsOfUptime, turnsOfCertificate, turnsOfRedirect, turnsOfHomepage],
    carry: (checker) => ({
      [UPTIME]: uptime.carry(checker, false),
      [UPTIME_AGAIN]: uptime.carry(checker, true),
      [CERTIFICATE]: insisting(checker, CERTIFICATE, clock, certificates.carry(checker)),
      [REDIRECT]: insisting(checker, REDIRECT, clock, redirects.carry(checker)),
      [HOMEPAGE]: insisting(checker, HOMEPAGE, clock, homepages.carry(checker)),
    }),
    onTaken: (checker, projectIds) => {
      for (const projectId of projectIds) {
        keeper.forget(projectId);
        certificates.forget(projectId);
      }
      void whileOurs(checker, projectIds, (open) => makeUp(checker, open), parts);
    },
    onEvent: (checker, event) => {
      // Somebody is waiting for it.
      for (const kind of looksAfter[event.type] ?? []) checker.once(kind, event.scope.slice('project-'.length), LOOK, clock.now());
    },
    close: () => uptime.settle(),
  };
}
