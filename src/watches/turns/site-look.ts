import type { Commands } from '../../platform/commands/command-of.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type ConcurrencyLimit, QueueFull, type WorkSource } from '../../kernel/concurrency-limit.ts';
import { hash32 } from '../../kernel/hash.ts';
import { formatTraceparent } from '../../kernel/trace-context.ts';
import { endWith, noTracer, type Tracer } from '../../kernel/tracer.ts';
import { lastOccurrence, type Recurrence } from '../../kernel/recurrence.ts';
import type { Inspection } from '../../platform/observations/inspections/inspection-store.ts';
import type { CheckerContext, TurnHandler } from '../../checker/checker.ts';
import type { EvidenceKeeper } from '../../checker/evidence/keep-evidence.ts';
import type { ConclusiveOutcome } from '../../checker/probe/outcome.ts';
import type { ProbeRequest } from '../../checker/probe/probe-request.ts';
import type { Prober } from '../../checker/probe/prober.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import type { TurnKey, TurnKind } from '../../checker/schedule/turn.ts';

/** Shared by the infrequent watches: certificate, redirect and homepage. */
export interface WatchOptions {
  readonly checker: CheckerContext;
  readonly prober: Pick<Prober, 'fetch'>;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly evidence: Pick<EvidenceKeeper, 'begin'>;
  readonly fetchLimit: Pick<ConcurrencyLimit, 'run'>;
  readonly onInconclusive: (reason: string) => void;
  readonly tracer?: Tracer;
}

/** The account whose share of the limits the fetches of a project take. */
export const sourceOf = ({ project }: Pick<WatchedProject, 'project'>): WorkSource => ({ account: project.payerId });

export const siteTurn = (kind: TurnKind, projectId: string): TurnKey => ({ kind, projectId, subjectId: null });

type FetchOptions = Pick<WatchOptions, 'prober' | 'fetchLimit' | 'clock' | 'onInconclusive' | 'tracer'>;

interface FetchedSite {
  readonly at: number;
  readonly outcome: ConclusiveOutcome;
  /** W3C Trace Context of the fetch, where it was traced. */
  readonly traceparent: string | undefined;
}

/** Fetches within the concurrency limit; null if that was inconclusive, refused (the limit counts its refusals), or no longer wanted when its turn came. */
export async function fetchConclusively(
  { prober, fetchLimit, clock, onInconclusive, tracer = noTracer }: FetchOptions,
  request: ProbeRequest,
  isWanted = (): boolean => true,
): Promise<FetchedSite | null> {
  try {
    return await fetchLimit.run(async () => {
      if (!isWanted()) return null;
      const at = clock.now();
      const span = tracer.start('probe site', { kind: 'client', parent: null });
      const outcome = await endWith(span, prober.fetch(request));
      const traceparent = span.context === null ? undefined : formatTraceparent(span.context);
      if (outcome.kind !== 'inconclusive') return { at, outcome, traceparent };
      onInconclusive(outcome.reason);
      return null;
    }, request.source);
  } catch (error) {
    if (error instanceof QueueFull) return null;
    throw error;
  }
}

/** An inspection ends in a decision, so none is made whose decision would be refused. */
export const lookConclusively = (options: FetchOptions & Pick<WatchOptions, 'checker'>, request: ProbeRequest) =>
  fetchConclusively(options, request, () => options.checker.canDecide());

const RETRY_MS = 30_000;

/** Does not wait for the next turn, which may be a day away; spread, because many may be retried at once. */
export function retryLook({ checker, clock }: Pick<WatchOptions, 'checker' | 'clock'>, kind: TurnKind, projectId: string): void {
  checker.scheduleOnce(siteTurn(kind, projectId), clock.now() + RETRY_MS + (hash32(`${kind} ${projectId}`) % RETRY_MS));
}

/** Repeats an inspection whose result could not be recorded. */
export const retryOnFailure =
  (options: Pick<WatchOptions, 'checker' | 'clock'>, kind: TurnKind, handler: TurnHandler): TurnHandler =>
  async (turn, lease) => {
    try {
      await handler(turn, lease);
    } catch (error) {
      retryLook(options, kind, turn.projectId);
      throw error;
    }
  };

/** Whether the previous owner of the shard missed the last turn, or has not inspected the current URL. */
export const isOverdue = (recurrence: Recurrence, url: string, last: Inspection | undefined, now: number): boolean =>
  last?.url !== url || last.at < lastOccurrence(recurrence, now);
