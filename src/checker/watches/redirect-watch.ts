import { systemContext } from '../../commands/context.ts';
import { RecordRedirect } from '../../commands/observation.commands.ts';
import { httpVersionOf } from '../../domain/redirect/http-version.ts';
import { redirectStatus } from '../../domain/redirect/redirect-status.ts';
import { derivedId } from '../../kernel/ids.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { Inspection, InspectionStore } from '../../observations/inspections/inspection-store.ts';
import type { RedirectRow } from '../../projections/read-models/redirect/redirect.view.ts';
import type { Carry, Checker } from '../checker.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import type { FetchOutcome } from '../probe/outcome.ts';
import { keyOf } from '../schedule/conductor.ts';
import type { Recurring } from '../schedule/timetable.ts';
import { isOwed, LOOK, lookAgainSoon, lookAt, type LookOptions } from './look.ts';

export const REDIRECT = 'redirect';

const HOURLY_MS = 3_600_000;
const TIMEOUT_MS = 20_000;

export function turnsOfRedirect({ project }: ProjectPlan): readonly Recurring[] {
  if (!project.settings.httpsRedirectEnabled || httpVersionOf(project.settings.url) === null) return [];
  return [{ key: keyOf(REDIRECT, project.id, LOOK), periodMs: HOURLY_MS, phaseMs: phaseOf(`redirect ${project.id}`, HOURLY_MS) }];
}

/** Looks where the http version of a project ends (docs/spec/decisions.md#P9): hourly, and as soon as it is switched on. */
export class RedirectWatch {
  constructor(
    private readonly options: LookOptions,
    private readonly looks: Pick<InspectionStore, 'accept'>,
  ) {}

  carry(checker: Checker): Carry {
    return async ({ projectId }, lease) => {
      const plan = checker.plans.plan.get(projectId);
      if (plan === undefined || turnsOfRedirect(plan).length === 0) return;
      const { url, userAgent, location } = plan.project.settings;
      const target = httpVersionOf(url);
      if (target === null) return;
      const outcome = await lookAt(this.options, { url: target, timeoutMs: TIMEOUT_MS, userAgent, signal: lease.signal });
      if (outcome === null) {
        lookAgainSoon(checker, REDIRECT, projectId, this.options.clock);
        return;
      }
      const at = this.options.clock.now();
      const answered = hasAnswered(outcome);
      const finalUrl = answered ? outcome.url : null;
      if (!(await this.looks.accept(lease, { projectId, kind: 'redirect', at, url: target, finalUrl }))) return;
      const answer = answered
        ? ({ kind: 'answered', finalUrl: outcome.url } as const)
        : ({ kind: 'silent', reason: reasonOf(outcome) } as const);
      const context = systemContext({ kind: 'checker', id: location }, at, {
        commandId: derivedId('redirect', projectId, at),
        repeat: false,
      });
      await this.options.commands.execute(new RecordRedirect(context, answer, { projectId, projectUrl: url, location, at }));
    };
  }

  /** Whether the checker that held the project before owes a look, or the event of the last one: it may have died between the two. */
  takeOver(plan: ProjectPlan, known: RedirectRow | undefined, last: Inspection | undefined): boolean {
    const { url } = plan.project.settings;
    const [turns] = turnsOfRedirect(plan);
    const target = httpVersionOf(url);
    if (turns === undefined || target === null) return false;
    if (last === undefined || isOwed(turns, target, last, this.options.clock.now())) return true;
    return known?.url !== target || known.status !== redirectStatus(url, last.finalUrl);
  }
}

/** Whoever sent us on has answered, also when nobody was there where it led or nobody goes there; so has who did not come to an end. */
const hasAnswered = (outcome: FetchOutcome): boolean =>
  outcome.kind === 'answered' ||
  outcome.hops.length > 0 ||
  (outcome.kind === 'failed' && (outcome.code === 'redirect' || outcome.code === 'body')) ||
  (outcome.kind === 'timedOut' && outcome.during === 'download');

const reasonOf = (outcome: { readonly kind: string; readonly reason?: string }): string => outcome.reason ?? 'it did not answer';
