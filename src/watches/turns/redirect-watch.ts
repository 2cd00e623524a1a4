import { systemContext } from '../../platform/commands/context.ts';
import { RecordRedirect } from '../observation.commands.ts';
import { httpVersionOf, redirectStatus } from '../redirect/redirect-status.ts';
import { derivedId } from '../../kernel/ids.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { Inspection, InspectionStore } from '../../platform/observations/inspections/inspection-store.ts';
import type { RedirectRow } from '../redirect/redirect.view.ts';
import type { TurnHandler } from '../../checker/checker.ts';
import { exchangeOf } from '../../checker/evidence/exchange-of.ts';
import type { ConclusiveOutcome } from '../../checker/probe/outcome.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import type { RecurringTurn } from '../../checker/schedule/turn.ts';
import { lookConclusively, isOverdue, retryLook, siteTurn, sourceOf, type WatchOptions } from './site-look.ts';
import { HOUR_MS } from '../../kernel/time.ts';

const TIMEOUT_MS = 20_000;

export function redirectTurns({ project }: WatchedProject): readonly RecurringTurn[] {
  if (!project.settings.httpsRedirectEnabled || httpVersionOf(project.settings.url) === null) return [];
  return [{ turn: siteTurn('redirect', project.id), periodMs: HOUR_MS, phaseMs: phaseOf(`redirect ${project.id}`, HOUR_MS) }];
}

/** Checks where the http URL of a project redirects to (docs/spec/decisions.md#P9): hourly, and when the watch is switched on. */
export class RedirectWatch {
  constructor(
    private readonly options: WatchOptions,
    private readonly looks: Pick<InspectionStore, 'accept'>,
  ) {}

  readonly handleTurn: TurnHandler = async ({ projectId }, lease) => {
    const { checker, clock, commands, evidence } = this.options;
    const watched = checker.projects.get(projectId);
    if (watched === undefined || redirectTurns(watched).length === 0) return;
    const { url, userAgent, location } = watched.project.settings;
    const target = httpVersionOf(url);
    if (target === null) return;
    const request = { url: target, timeoutMs: TIMEOUT_MS, userAgent, signal: lease.signal, source: sourceOf(watched) };
    const fetched = await lookConclusively(this.options, request);
    if (fetched === null) {
      retryLook(this.options, 'redirect', projectId);
      return;
    }
    const { outcome } = fetched;
    const at = clock.now();
    const finalUrl = hasAnswered(outcome) ? outcome.url : null;
    if (!(await this.looks.accept(lease, { projectId, kind: 'redirect', at, url: target, finalUrl }))) return;
    const answer = finalUrl !== null ? ({ kind: 'answered', finalUrl } as const) : ({ kind: 'silent', reason: reasonOf(outcome) } as const);
    const context = systemContext({ kind: 'checker', id: location }, at, {
      commandId: derivedId('redirect', projectId, at),
      repeat: false,
    });
    const kept = evidence.begin({
      projectId,
      at,
      decisive: 'unknown',
      urgent: false,
      body: null,
      exchange: () => exchangeOf({ kind: 'redirect', checkId: null, at, location, outcome, judged: null }),
    });
    await kept.kept();
    const { changed } = await commands.execute(
      new RecordRedirect(context, { answer, origin: { projectId, projectUrl: url, location, at, ...kept.reference } }),
    );
    await kept.decided(changed);
  };

  /** Whether the previous owner of the shard missed an inspection, or died between storing it and recording its event. */
  isLookDue(watched: WatchedProject, known: RedirectRow | undefined, last: Inspection | undefined): boolean {
    const { url } = watched.project.settings;
    const [recurring] = redirectTurns(watched);
    const target = httpVersionOf(url);
    if (recurring === undefined || target === null) return false;
    if (last === undefined || isOverdue(recurring, target, last, this.options.clock.now())) return true;
    return known?.url !== target || known.status !== redirectStatus(url, last.finalUrl);
  }
}

/** A server that redirects has answered, even if the target cannot be fetched; so has one whose body breaks off. */
const hasAnswered = (outcome: ConclusiveOutcome): boolean =>
  outcome.kind === 'answered' ||
  outcome.hops.length > 0 ||
  (outcome.kind === 'failed' && (outcome.code === 'redirect' || outcome.code === 'body')) ||
  (outcome.kind === 'timedOut' && outcome.during === 'download');

const reasonOf = (outcome: ConclusiveOutcome): string => (outcome.kind === 'answered' ? 'it did not answer' : outcome.reason);
