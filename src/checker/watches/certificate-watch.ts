import { RecordCertificateLook } from '../../commands/observation.commands.ts';
import { systemContext } from '../../commands/context.ts';
import type { CertificateFacts } from '../../domain/certificate/certificate.events.ts';
import { type Endpoint, endpointOf, turningPoints } from '../../domain/certificate/certificate-status.ts';
import { derivedId } from '../../kernel/ids.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { Inspection, InspectionStore } from '../../observations/inspections/inspection-store.ts';
import type { CertificateRow } from '../../projections/read-models/certificate/certificate.view.ts';
import type { Carry, Checker } from '../checker.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import type { CertificateSeen } from '../probe/certificate.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import { keyOf } from '../schedule/conductor.ts';
import type { Recurring } from '../schedule/timetable.ts';
import { isOwed, LOOK, lookAgainSoon, lookAt, type LookOptions } from './look.ts';

export const CERTIFICATE = 'certificate';

const HOUR_MS = 3_600_000;
const DAILY_MS = 24 * HOUR_MS;
const TIMEOUT_MS = 20_000;

export function turnsOfCertificate({ project }: ProjectPlan): readonly Recurring[] {
  if (endpointOf(project.settings.url) === null) return [];
  return [{ key: keyOf(CERTIFICATE, project.id, LOOK), periodMs: DAILY_MS, phaseMs: phaseOf(`certificate ${project.id}`, DAILY_MS) }];
}

/** Looks at the certificate of the project's own host: daily, after changes, and whenever a probe on its way saw another one. */
export class CertificateWatch {
  /** What was last told and when, so that a probe that sees the same again costs nothing. */
  private readonly told = new Map<string, { readonly certificate: string; readonly at: number }>();
  /** When the certificate ends that was last seen. */
  private readonly ends = new Map<string, string>();

  constructor(
    private readonly options: LookOptions,
    private readonly looks: Pick<InspectionStore, 'accept'>,
  ) {}

  carry(checker: Checker): Carry {
    return async ({ projectId }, lease) => {
      const plan = checker.plans.plan.get(projectId);
      const endpoint = plan === undefined ? null : endpointOf(plan.project.settings.url);
      if (plan === undefined || endpoint === null) return;
      const { url, userAgent } = plan.project.settings;
      const options = { stayOnFirst: true, http1Only: true };
      const outcome = await lookAt(this.options, { url, timeoutMs: TIMEOUT_MS, userAgent, signal: lease.signal, options });
      if (outcome === null) {
        lookAgainSoon(checker, CERTIFICATE, projectId, this.options.clock);
        return;
      }
      if (outcome.certificate !== null) await this.seen(checker, plan, endpoint, outcome.certificate);
      else await this.failed(checker, plan, endpoint, outcome.kind === 'answered' ? 'no certificate was shown' : outcome.reason);
      await this.looks.accept(lease, { projectId, kind: 'certificate', at: this.options.clock.now(), url, finalUrl: null });
    };
  }

  /** Goes on for the checker that held the project before; answers whether that one owed a look. */
  takeOver(checker: Checker, plan: ProjectPlan, known: CertificateRow | undefined, last: Inspection | undefined): boolean {
    const { id, settings } = plan.project;
    const [turns] = turnsOfCertificate(plan);
    const endpoint = endpointOf(settings.url);
    if (turns === undefined || endpoint === null) return false;
    const now = this.options.clock.now();
    const certificate = known?.certificate ?? null;
    if (certificate?.host !== endpoint.host || certificate.port !== endpoint.port) return isOwed(turns, settings.url, last, now);
    this.ends.set(id, certificate.validTo);
    this.lookAtItsEnd(checker, plan);
    const turned = turningPoints(certificate.validTo, settings.sslAlertPeriod).findLast((at) => at <= now) ?? -Infinity;
    return isOwed(turns, settings.url, last, now) || (last?.at ?? -Infinity) <= turned;
  }

  /** From a probe for another purpose: of a journey over redirects it is the certificate of somebody else. */
  async passedBy(checker: Checker, plan: ProjectPlan, outcome: FetchOutcome): Promise<void> {
    const endpoint = endpointOf(plan.project.settings.url);
    const visited = endpointOf(outcome.url);
    if (outcome.certificate === null || outcome.hops.length > 0 || endpoint === null) return;
    if (visited?.host !== endpoint.host || visited.port !== endpoint.port) return;
    const told = this.told.get(plan.project.id);
    if (told?.certificate === fingerprintOf(outcome.certificate) && this.options.clock.now() - told.at < HOUR_MS) return;
    await this.seen(checker, plan, endpoint, outcome.certificate);
  }

  forget(projectId: string): void {
    this.told.delete(projectId);
    this.ends.delete(projectId);
  }

  private async seen(checker: Checker, plan: ProjectPlan, endpoint: Endpoint, certificate: CertificateSeen): Promise<void> {
    const { id } = plan.project;
    const now = this.options.clock.now();
    await this.record(plan, { kind: 'seen', certificate: factsOf(certificate, endpoint, now) });
    this.told.set(id, { certificate: fingerprintOf(certificate), at: now });
    this.ends.set(id, certificate.validTo);
    this.lookAtItsEnd(checker, plan);
  }

  private async failed(checker: Checker, plan: ProjectPlan, endpoint: Endpoint, reason: string): Promise<void> {
    await this.record(plan, { kind: 'failed', ...endpoint, reason });
    this.lookAtItsEnd(checker, plan);
  }

  /** Near its end somebody looks at the very moment, not at the next day's turn. */
  private lookAtItsEnd(checker: Checker, { project }: ProjectPlan): void {
    const end = this.ends.get(project.id);
    if (end === undefined) return;
    const now = this.options.clock.now();
    const next = turningPoints(end, project.settings.sslAlertPeriod).find((at) => at >= now);
    if (next !== undefined && next - now < DAILY_MS + HOUR_MS) checker.once(CERTIFICATE, project.id, LOOK, next + 1000);
  }

  private async record({ project }: ProjectPlan, look: RecordCertificateLook['look']): Promise<void> {
    const at = this.options.clock.now();
    const { url, location, sslAlertPeriod } = project.settings;
    const context = systemContext({ kind: 'checker', id: location }, at, {
      commandId: derivedId('certificate', project.id, at),
      repeat: false,
    });
    await this.options.commands.execute(
      new RecordCertificateLook(context, look, { projectId: project.id, url, location, at, sslAlertPeriod }),
    );
  }
}

const fingerprintOf = ({ fingerprint, problem }: CertificateSeen): string => `${fingerprint} ${problem ?? ''}`;

/** Being past its end is not a problem of its own: the clock says that, and says it once. */
const factsOf = (certificate: CertificateSeen, { host, port }: Endpoint, now: number): CertificateFacts => ({
  ...certificate,
  host,
  port,
  problem: Date.parse(certificate.validTo) <= now ? null : certificate.problem,
});
