import { classify } from '../../platform/observations/samples/probe-outcome.ts';
import type { AcceptedProbe } from '../uptime/recent-probes.ts';
import { confirmationDelay, type Sample } from '../../platform/observations/samples/sample.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { Tracer } from '../../kernel/tracer.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { ObservationQueue } from '../../platform/observations/observation-queue.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { CheckerContext, TurnHandler } from '../../checker/checker.ts';
import { exchangeOf } from '../../checker/evidence/exchange-of.ts';
import type { EvidenceKeeper } from '../../checker/evidence/keep-evidence.ts';
import type { ConclusiveOutcome } from '../../checker/probe/outcome.ts';
import type { Prober } from '../../checker/probe/prober.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import type { RecurringTurn } from '../../checker/schedule/turn.ts';
import { fetchConclusively, siteTurn, sourceOf } from './site-look.ts';
import type { UptimeRecorder } from './uptime-recorder.ts';

/** A probe times out before its period ends, so that it does not overlap with the next one. */
const MARGIN_MS = 20;

export interface UptimeWatchOptions {
  readonly checker: CheckerContext;
  readonly prober: Pick<Prober, 'fetch'>;
  readonly queue: Pick<ObservationQueue<Sample>, 'add'>;
  readonly recorder: UptimeRecorder;
  readonly evidence: Pick<EvidenceKeeper, 'begin'>;
  readonly clock: Clock;
  readonly mutex: KeyedMutex;
  readonly fetchLimit: Pick<ConcurrencyLimit, 'run'>;
  readonly onInconclusive: (reason: string) => void;
  readonly tracer?: Tracer;
  readonly report: (error: unknown, activity: string) => void;
  /** For what else a probe sees of the site, such as its certificate. */
  readonly onProbed: (watched: WatchedProject, outcome: ConclusiveOutcome) => Promise<void>;
}

export function uptimeTurns({ project }: WatchedProject): readonly RecurringTurn[] {
  if (project.settings.uptimePeriod === 'false') return [];
  const periodMs = Number(project.settings.uptimePeriod) * 1000;
  return [{ turn: siteTurn('uptime', project.id), periodMs, phaseMs: phaseOf(project.id, periodMs) }];
}

/** Probes sites. A turn ends with the fetch; storing and deciding follow in the background, in order, so that they delay no further turn. */
export class UptimeWatch {
  private readonly background = new Set<Promise<void>>();

  constructor(private readonly options: UptimeWatchOptions) {}

  readonly handleTurn: TurnHandler = ({ kind, projectId }, lease) =>
    this.options.mutex.runExclusive(`uptime ${projectId}`, () => this.probe(projectId, lease, kind === 'uptime-again'));

  /** Resolves when every sample is stored and decided. */
  async waitUntilIdle(): Promise<void> {
    while (this.background.size > 0) await Promise.all(this.background);
  }

  private async probe(projectId: string, lease: Lease, confirming: boolean): Promise<void> {
    const { checker, queue, recorder, evidence, onProbed } = this.options;
    const watched = checker.projects.get(projectId);
    if (watched === undefined || watched.project.settings.uptimePeriod === 'false' || lease.signal.aborted) return;
    const { uptimePeriod, uptimeUrl, url, timeout, userAgent, location } = watched.project.settings;
    const periodSeconds = Number(uptimePeriod);
    const target = uptimeUrl === '' ? url : uptimeUrl;
    const timeoutMs = Math.min(timeout * 1000, periodSeconds * 1000 - MARGIN_MS);
    const request = {
      url: target,
      timeoutMs,
      userAgent,
      signal: lease.signal,
      source: sourceOf(watched),
      // What a resumed handshake could hide is what a confirmation has to see.
      ...(confirming ? {} : { resumeFor: projectId }),
    };
    const fetched = await fetchConclusively(this.options, request);
    if (fetched === null) return;
    const { at, outcome, traceparent } = fetched;
    const { sample, probe } = sampleOf({ at, url: target, location, periodSeconds, outcome });
    const isUrgent = checker.canDecide() && (confirming || sample.outcome !== 'up' || !recorder.isUp(projectId));
    // If it is unknown whether the sample was stored, nothing is decided from it; if it was not, its time counts as unknown.
    const accepted = queue.add(lease, projectId, sample, isUrgent).catch(() => false);
    this.continueInBackground(projectId, async () => {
      if (!(await accepted)) return;
      if (!checker.canDecide()) {
        // The first probe after the overload decides from the stored ones, too.
        recorder.forget(projectId);
        return;
      }
      const kept = evidence.begin({
        projectId,
        at,
        decisive: recorder.decisiveness(projectId, probe.outcome),
        urgent: confirming || probe.outcome !== 'up',
        exchange: () => exchangeOf({ kind: 'uptime', checkId: null, at, location, outcome, judged: null }),
        // The page of a site that is up proves nothing about its uptime.
        body: probe.outcome !== 'up' && outcome.kind === 'answered' ? outcome.body : null,
      });
      await kept.kept();
      const proven = { ...probe, evidence: { ...probe.evidence, ...kept.reference } };
      const { changed, needsConfirmation } = await recorder.record({ projectId, probe: proven, confirming, traceparent });
      await kept.decided(changed);
      if (needsConfirmation) checker.scheduleOnce(siteTurn('uptime-again', projectId), at + confirmationDelay(periodSeconds));
      await onProbed(watched, outcome);
    });
  }

  private continueInBackground(projectId: string, work: () => Promise<void>): void {
    const { mutex, recorder, report } = this.options;
    const done = mutex
      .runExclusive(`decide uptime ${projectId}`, work)
      .catch((error: unknown) => {
        recorder.forget(projectId);
        report(error, 'uptime');
      })
      .finally(() => this.background.delete(done));
    this.background.add(done);
  }
}

interface UptimeProbe {
  readonly at: number;
  readonly url: string;
  readonly location: string;
  readonly periodSeconds: number;
  readonly outcome: ConclusiveOutcome;
}

/** The sample to store, and the probe to decide from. */
function sampleOf({ at, url, location, periodSeconds, outcome }: UptimeProbe): { readonly sample: Sample; readonly probe: AcceptedProbe } {
  const classified = classify(outcome.kind === 'answered' ? outcome : { kind: outcome.kind, reason: outcome.reason });
  const { dns, connect, tls, request, wait, download, total } = outcome.phases;
  const sample: Sample = {
    at,
    outcome: classified.outcome,
    periodSeconds,
    httpStatus: classified.httpStatus ?? 0,
    reason: classified.reason,
    dns,
    connect,
    tls,
    request,
    waiting: wait,
    download,
    total,
  };
  const evidence = { url, at: new Date(at).toISOString(), location, ...classified, milliseconds: Math.round(total) };
  return { sample, probe: { at, outcome: classified.outcome, periodSeconds, evidence } };
}
