import { RecordCertificateLook } from '../observation.commands.ts';
import { systemContext } from '../../platform/commands/context.ts';
import type { CertificateFacts } from '../certificate/certificate.events.ts';
import { type Endpoint, endpointOf, turningPoints } from '../certificate/certificate-status.ts';
import { derivedId } from '../../kernel/ids.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { Inspection, InspectionStore } from '../../platform/observations/inspections/inspection-store.ts';
import type { CertificateRow } from '../certificate/certificate.view.ts';
import type { TurnHandler } from '../../checker/checker.ts';
import { exchangeOf } from '../../checker/evidence/exchange-of.ts';
import type { Decisiveness } from '../../checker/evidence/keep-evidence.ts';
import type { CertificateSeen } from '../../checker/probe/certificate.ts';
import type { ConclusiveOutcome } from '../../checker/probe/outcome.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import type { RecurringTurn } from '../../checker/schedule/turn.ts';
import { lookConclusively, isOverdue, retryLook, siteTurn, sourceOf, type WatchOptions } from './site-look.ts';
import { HOUR_MS } from '../../kernel/time.ts';

const DAILY_MS = 24 * HOUR_MS;
const TIMEOUT_MS = 20_000;

export function certificateTurns({ project }: WatchedProject): readonly RecurringTurn[] {
  if (endpointOf(project.settings.url) === null) return [];
  return [{ turn: siteTurn('certificate', project.id), periodMs: DAILY_MS, phaseMs: phaseOf(`certificate ${project.id}`, DAILY_MS) }];
}

/** Watches the certificate of the project's own host: daily, after changes, at its turning points, and when a probe sees another certificate. */
export class CertificateWatch {
  /** What was last recorded, so that probes which see the same certificate record nothing. */
  private readonly recorded = new Map<string, { readonly identity: string; readonly at: number }>();
  /** `validTo` of the last seen certificate, by project. */
  private readonly expiries = new Map<string, string>();

  constructor(
    private readonly options: WatchOptions,
    private readonly looks: Pick<InspectionStore, 'accept'>,
  ) {}

  readonly handleTurn: TurnHandler = async ({ projectId }, lease) => {
    const watched = this.options.checker.projects.get(projectId);
    const endpoint = watched === undefined ? null : endpointOf(watched.project.settings.url);
    if (watched === undefined || endpoint === null) return;
    const { url, userAgent } = watched.project.settings;
    const options = { stayOnFirst: true, http1Only: true };
    const request = { url, timeoutMs: TIMEOUT_MS, userAgent, signal: lease.signal, options, source: sourceOf(watched) };
    const fetched = await lookConclusively(this.options, request);
    if (fetched === null) {
      retryLook(this.options, 'certificate', projectId);
      return;
    }
    const { outcome } = fetched;
    if (outcome.certificate !== null) await this.recordSeen(watched, endpoint, outcome, outcome.certificate);
    else await this.recordFailed(watched, endpoint, outcome);
    await this.looks.accept(lease, { projectId, kind: 'certificate', at: this.options.clock.now(), url, finalUrl: null });
  };

  /** On a shard handover: schedules the next turning point, and returns whether the previous owner missed an inspection. */
  resume(watched: WatchedProject, known: CertificateRow | undefined, last: Inspection | undefined): boolean {
    const { id, settings } = watched.project;
    const [recurring] = certificateTurns(watched);
    const endpoint = endpointOf(settings.url);
    if (recurring === undefined || endpoint === null) return false;
    const now = this.options.clock.now();
    const certificate = known?.certificate ?? null;
    if (certificate?.host !== endpoint.host || certificate.port !== endpoint.port) return isOverdue(recurring, settings.url, last, now);
    this.expiries.set(id, certificate.validTo);
    this.scheduleTurningPoint(watched);
    const lastTurningPoint = turningPoints(certificate.validTo, settings.sslAlertPeriod).findLast((at) => at <= now) ?? -Infinity;
    return isOverdue(recurring, settings.url, last, now) || (last?.at ?? -Infinity) <= lastTurningPoint;
  }

  /** Takes the certificate from a probe for another purpose. After redirects it is that of another host. */
  async observe(watched: WatchedProject, outcome: ConclusiveOutcome): Promise<void> {
    const { id, settings } = watched.project;
    const endpoint = endpointOf(settings.url);
    const visited = endpointOf(outcome.url);
    if (outcome.certificate === null || outcome.hops.length > 0 || endpoint === null) return;
    if (visited?.host !== endpoint.host || visited.port !== endpoint.port) return;
    const recorded = this.recorded.get(id);
    if (recorded?.identity === identityOf(outcome.certificate) && this.options.clock.now() - recorded.at < HOUR_MS) return;
    await this.recordSeen(watched, endpoint, outcome, outcome.certificate);
  }

  forget(projectId: string): void {
    this.recorded.delete(projectId);
    this.expiries.delete(projectId);
  }

  private async recordSeen(
    watched: WatchedProject,
    endpoint: Endpoint,
    outcome: ConclusiveOutcome,
    certificate: CertificateSeen,
  ): Promise<void> {
    const { id } = watched.project;
    const now = this.options.clock.now();
    const recorded = this.recorded.get(id);
    const decisive = recorded === undefined || recorded.identity === identityOf(certificate) ? 'unknown' : 'likely';
    await this.record(watched, { kind: 'seen', certificate: factsOf(certificate, endpoint, now) }, outcome, decisive);
    this.recorded.set(id, { identity: identityOf(certificate), at: now });
    this.expiries.set(id, certificate.validTo);
    this.scheduleTurningPoint(watched);
  }

  private async recordFailed(watched: WatchedProject, endpoint: Endpoint, outcome: ConclusiveOutcome): Promise<void> {
    const reason = outcome.kind === 'answered' ? 'no certificate was shown' : outcome.reason;
    await this.record(watched, { kind: 'failed', ...endpoint, reason }, outcome, 'unknown');
    this.scheduleTurningPoint(watched);
  }

  /** The status of a certificate changes at the moment of a turning point, not with the next daily turn. */
  private scheduleTurningPoint({ project }: WatchedProject): void {
    const { checker, clock } = this.options;
    const expiry = this.expiries.get(project.id);
    if (expiry === undefined) return;
    const now = clock.now();
    const next = turningPoints(expiry, project.settings.sslAlertPeriod).find((at) => at >= now);
    if (next !== undefined && next - now < DAILY_MS + HOUR_MS) checker.scheduleOnce(siteTurn('certificate', project.id), next + 1000);
  }

  private async record(
    { project }: WatchedProject,
    look: RecordCertificateLook['fields']['look'],
    outcome: ConclusiveOutcome,
    decisive: Decisiveness,
  ): Promise<void> {
    const { clock, commands, evidence } = this.options;
    const at = clock.now();
    const { url, location, sslAlertPeriod } = project.settings;
    const context = systemContext({ kind: 'checker', id: location }, at, {
      commandId: derivedId('certificate', project.id, at),
      repeat: false,
    });
    const kept = evidence.begin({
      projectId: project.id,
      at,
      decisive,
      urgent: false,
      body: null,
      exchange: () => exchangeOf({ kind: 'certificate', checkId: null, at, location, outcome, judged: null }),
    });
    await kept.kept();
    const { changed } = await commands.execute(
      new RecordCertificateLook(context, { look, origin: { projectId: project.id, url, location, at, sslAlertPeriod, ...kept.reference } }),
    );
    await kept.decided(changed);
  }
}

const identityOf = ({ fingerprint, problem }: CertificateSeen): string => `${fingerprint} ${problem ?? ''}`;

/** Expiry is derived from `validTo`; recording it as a problem would report it twice. */
const factsOf = ({ key: _, ...certificate }: CertificateSeen, { host, port }: Endpoint, now: number): CertificateFacts => ({
  ...certificate,
  host,
  port,
  problem: Date.parse(certificate.validTo) <= now ? null : certificate.problem,
});
