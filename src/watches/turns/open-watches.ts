import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Commands } from '../../platform/commands/command-of.ts';
import { LOOK_BACK } from '../../checker/instability.ts';
import type { Clock } from '../../kernel/clock.ts';
import { hash32 } from '../../kernel/hash.ts';
import { noTracer, type Tracer } from '../../kernel/tracer.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { InspectionStore } from '../../platform/observations/inspections/inspection-store.ts';
import { ObservationQueue } from '../../platform/observations/observation-queue.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import type { SampleStore } from '../../platform/observations/samples/sample-store.ts';
import { certificateView } from '../certificate/certificate.view.ts';
import { redirectView } from '../redirect/redirect.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { CheckerContext, CheckerPart, TurnHandler } from '../../checker/checker.ts';
import type { FlushFailures } from '../../checker/flush-failures.ts';
import type { Judge } from '../../checker/judging/judge.ts';
import type { CheckerLimits } from '../../checker/limits.ts';
import type { EvidenceKeeper } from '../../checker/evidence/keep-evidence.ts';
import type { ConclusiveOutcome } from '../../checker/probe/outcome.ts';
import type { Prober } from '../../checker/probe/prober.ts';
import { projectOfScope, type WatchedProject } from '../../checker/projects/watched-projects.ts';
import type { RecurringTurn, TurnKind } from '../../checker/schedule/turn.ts';
import { AccountPace } from '../../checker/schedule/account-pace.ts';
import { type RetryOptions, retryWhileLeaseHeld } from '../../checker/shards/retry-while-lease-held.ts';
import { certificateTurns, CertificateWatch } from './certificate-watch.ts';
import { resumeProbes } from './missed-probes.ts';
import { redirectTurns, RedirectWatch } from './redirect-watch.ts';
import { lookConclusively, retryLook, retryOnFailure, siteTurn, sourceOf, type WatchOptions } from './site-look.ts';
import { UptimeRecorder, type UptimeTail } from './uptime-recorder.ts';
import { uptimeTurns, UptimeWatch } from './uptime-watch.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { InspectHomepage } from '../../projects/project.commands.ts';
import { derivedId } from '../../kernel/ids.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import { headerValue } from '../../checker/rules/stored-answer.ts';
import { HOUR_MS } from '../../kernel/time.ts';

/** Hourly until the homepage has been fetched once. */
export function homepageTurns({ project }: WatchedProject): readonly RecurringTurn[] {
  if (project.isWordPress !== null) return [];
  return [{ turn: siteTurn('homepage', project.id), periodMs: HOUR_MS, phaseMs: phaseOf(`homepage ${project.id}`, HOUR_MS) }];
}

/** Inspects the homepage once, for its CMS and for the pages that a preset project checks (docs/spec/decisions.md#P2, #P10). */
export class HomepageWatch {
  constructor(
    private readonly options: WatchOptions,
    private readonly judge: Pick<Judge, 'inspect'>,
  ) {}

  readonly handleTurn: TurnHandler = async ({ projectId }, lease) => {
    const { checker, commands, clock } = this.options;
    const watched = checker.projects.get(projectId);
    if (watched?.project.isWordPress !== null) return;
    const { url, userAgent, timeout, location } = watched.project.settings;
    const request = { url, userAgent, timeoutMs: timeout * 1000, signal: lease.signal, source: sourceOf(watched) };
    const fetched = await lookConclusively(this.options, request);
    if (fetched === null) retryLook(this.options, 'homepage', projectId);
    const outcome = fetched?.outcome;
    if (outcome?.kind !== 'answered' || outcome.status >= 400 || lease.signal.aborted) return;
    const found = await this.judge.inspect(
      {
        url: outcome.url,
        body: outcome.body,
        contentType: headerValue(outcome, 'content-type') ?? '',
        cut: outcome.cut,
        linkHeader: headerValue(outcome, 'link') ?? '',
        wantsLinks: watched.project.preset,
      },
      watched.project.payerId,
    );
    if (found.kind === 'inconclusive') {
      this.options.onInconclusive(found.reason);
      retryLook(this.options, 'homepage', projectId);
      return;
    }
    if (lease.signal.aborted) return;
    const { isWordPress, links } = found;
    const context = systemContext({ kind: 'checker', id: location }, clock.now(), {
      commandId: derivedId('homepage', projectId, url),
      repeat: false,
    });
    await commands.execute(new InspectHomepage(context, { projectId, url, isWordPress, links }));
  };
}

export interface WatchServices extends Omit<WatchParts, 'samples' | 'queue' | 'looks' | 'sleep'> {
  readonly pool: pg.Pool;
  readonly onFlushed?: FlushFailures['onFlushed'];
  readonly samples: SampleStore;
}

export interface WatchParts extends RetryOptions {
  readonly checker: CheckerContext;
  readonly prober: Pick<Prober, 'fetch'>;
  readonly judge: Pick<Judge, 'inspect'>;
  readonly samples: Pick<SampleStore, 'outcomes' | 'tail'>;
  readonly queue: Pick<ObservationQueue<Sample>, 'add'>;
  readonly looks: Pick<InspectionStore, 'accept' | 'latest'>;
  readonly views: Pick<Views, 'many'>;
  readonly evidence: Pick<EvidenceKeeper, 'begin'>;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly limits: Pick<CheckerLimits, 'probes' | 'looks'>;
  readonly onInconclusive: (reason: string) => void;
  readonly tracer?: Tracer;
}

const FLUSH_MS = 1_000;
/** Inspections after a handover are spread: the first project of a shard is inspected at once, many projects over half a minute. */
const HANDOVER_SPREAD_MS = 30_000;
const SPREAD_PER_PROJECT_MS = 300;

/** Events after which a site is inspected soon. */
const looksAfter: Readonly<Record<string, readonly TurnKind[]>> = {
  ProjectCreated: ['certificate', 'redirect', 'homepage'],
  ProjectUrlChanged: ['certificate', 'redirect', 'homepage'],
  CertificateAlertPeriodChanged: ['certificate'],
  RedirectWatchSwitched: ['redirect'],
};

export interface Watches extends CheckerPart {
  /** Takes the certificate of the project's own host from a run of a check. */
  readonly observeCertificate: (projectId: string, outcome: ConclusiveOutcome) => Promise<void>;
}

/** Uptime, certificate, redirect and homepage of all projects of a checker. */
export function openWatches(services: WatchServices): Watches {
  const queue = new ObservationQueue<Sample>(services.samples, {
    flushMs: FLUSH_MS,
    onFlushed: (error) => services.onFlushed?.('samples', error),
  });
  const watches = watchesOver({ ...services, queue, looks: new InspectionStore(services.pool), sleep });
  return {
    ...watches,
    flush: async () => {
      await queue.drain();
      await watches.flush();
    },
    close: async () => {
      await queue.drain().catch(() => undefined);
      await watches.close();
    },
  };
}

/** The same over any queue and store. */
export function watchesOver(parts: WatchParts): Watches {
  const { checker, prober, samples, queue, views, evidence, commands, clock, limits, onInconclusive, report, tracer = noTracer } = parts;
  const recorder = new UptimeRecorder({ commands, samples, clock });
  const options = { checker, prober, commands, clock, evidence, onInconclusive, tracer, fetchLimit: limits.looks };
  const certificates = new CertificateWatch(options, parts.looks);
  const homepages = new HomepageWatch(options, parts.judge);
  const redirects = new RedirectWatch(options, parts.looks);
  const uptime = new UptimeWatch({
    checker,
    prober,
    queue,
    recorder,
    evidence,
    clock,
    onInconclusive,
    report,
    tracer,
    mutex: new KeyedMutex(),
    fetchLimit: limits.probes,
    onProbed: (watched, outcome) => certificates.observe(watched, outcome),
  });
  const pace = new AccountPace();
  const scheduleLook = (kind: TurnKind, projectId: string, spreadMs = 0): void => {
    const due = pace.dueOf(checker.projects.get(projectId)?.project.payerId, clock.now());
    checker.scheduleOnce(siteTurn(kind, projectId), due + (spreadMs === 0 ? 0 : hash32(`${kind} ${projectId}`) % spreadMs));
  };
  const tailOf = async (projectIds: readonly string[], from: number): UptimeTail => {
    let tail: Awaited<UptimeTail> = null;
    const read = async (): Promise<void> => {
      tail = await samples.tail(projectIds, from);
    };
    await retryWhileLeaseHeld(checker, projectIds, read, parts);
    return tail;
  };
  const scheduleMissed = async (projectIds: readonly string[]): Promise<void> => {
    const [certificateRows, redirectRows, certificateLooks, redirectLooks] = await Promise.all([
      views.many(certificateView, projectIds, 'as before'),
      views.many(redirectView, projectIds, 'as before'),
      parts.looks.latest('certificate', projectIds),
      parts.looks.latest('redirect', projectIds),
    ]);
    const spreadMs = Math.min(HANDOVER_SPREAD_MS, projectIds.length * SPREAD_PER_PROJECT_MS);
    for (const id of projectIds) {
      const watched = checker.projects.get(id);
      if (watched === undefined) continue;
      if (certificates.resume(watched, certificateRows.get(id), certificateLooks.get(id))) scheduleLook('certificate', id, spreadMs);
      if (redirects.isLookDue(watched, redirectRows.get(id), redirectLooks.get(id))) scheduleLook('redirect', id, spreadMs);
      if (watched.project.isWordPress === null) scheduleLook('homepage', id, spreadMs);
    }
  };
  return {
    recurringTurns: [uptimeTurns, certificateTurns, redirectTurns, homepageTurns],
    handlers: {
      uptime: uptime.handleTurn,
      'uptime-again': uptime.handleTurn,
      certificate: retryOnFailure(options, 'certificate', certificates.handleTurn),
      redirect: retryOnFailure(options, 'redirect', redirects.handleTurn),
      homepage: retryOnFailure(options, 'homepage', homepages.handleTurn),
    },
    onShardTaken: (projectIds) => {
      for (const projectId of projectIds) certificates.forget(projectId);
      const takenAt = clock.now();
      const probed = projectIds.filter((id) => checker.projects.get(id)?.project.settings.uptimePeriod !== 'false');
      const reading = tailOf(probed, takenAt - LOOK_BACK);
      recorder.begin(probed, reading);
      void reading.then((tail) => tail && resumeProbes(probed, takenAt, { ...parts, tail }));
      void retryWhileLeaseHeld(checker, projectIds, scheduleMissed, parts);
    },
    onEvent: (event) => {
      for (const kind of looksAfter[event.type] ?? []) scheduleLook(kind, projectOfScope(event.scope));
    },
    observeCertificate: async (projectId, outcome) => {
      const watched = checker.projects.get(projectId);
      if (watched === undefined) return;
      await certificates.observe(watched, outcome).catch((error: unknown) => {
        report(error, 'certificate');
      });
    },
    flush: () => uptime.waitUntilIdle(),
    close: () => uptime.waitUntilIdle(),
  };
}
