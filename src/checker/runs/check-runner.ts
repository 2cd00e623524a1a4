import type { Failing } from '../../domain/verdict/verdict.events.ts';
import type { AcceptedRun } from '../../domain/verdict/recent-runs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Exchange, JudgedBy } from '../../observations/exchanges/exchange.ts';
import type { MadeRun } from '../../observations/runs/run-store.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import type { Keyring } from '../../security/keyring/keyring.ts';
import type { Inconclusive } from '../inconclusive.ts';
import { exchangeOf } from '../evidence/exchange-of.ts';
import type { RuleFailure } from '../judging/judge-job.ts';
import type { Judge } from '../judging/judge.ts';
import { type ConclusiveOutcome, NO_PHASES } from '../probe/outcome.ts';
import type { Prober } from '../probe/prober.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import { type StoredAnswer, storedAnswer } from '../rules/stored-answer.ts';
import type { SignInAttempt, SignInFailure } from './area-sign-in.ts';
import { type FetchedAnswer, observationOf } from './run-observation.ts';
import { type NamedRule, namedRules, requestOf, runSource } from './run-request.ts';

export interface RunOptions {
  readonly jobId: string | null;
  readonly confirming: boolean;
  /** Aborts the fetch, when the lease is lost. */
  readonly signal?: AbortSignal;
  /** Of the area, if it has a sign-in form. */
  readonly signIn?: SignInAttempt;
}

export interface CompletedRun {
  readonly kind: 'made';
  readonly made: MadeRun;
  readonly accepted: AcceptedRun;
  readonly answer: StoredAnswer | null;
  /** The request and answer, as they are kept where an event rests on them. */
  readonly exchange: () => Exchange;
}

export type RunResult = CompletedRun | Inconclusive;

export interface CheckRunnerOptions {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly judge: Pick<Judge, 'judge'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** Fetches the page of a check and judges it. Stores nothing. */
export class CheckRunner {
  constructor(private readonly options: CheckRunnerOptions) {}

  async run(watched: WatchedProject, check: CheckRow, { jobId, confirming, signal, signIn }: RunOptions): Promise<RunResult> {
    const { prober, judge, keyring, clock } = this.options;
    const { project } = watched;
    const area = watched.areas.get(check.areaId);
    const signInFailure = signIn?.failure ?? null;
    if (signInFailure?.kind === 'inconclusive') return signInFailure;
    const request = await requestOf(project, area, check, keyring, signIn?.session);
    const at = clock.now();
    const startedAt = performance.now();
    const outcome =
      signInFailure === null
        ? await prober.fetch({ ...request, source: runSource(watched, jobId), ...(signal !== undefined && { signal }) })
        : notSignedIn(request.url, signInFailure);
    if (outcome.kind === 'inconclusive') return { kind: 'inconclusive', reason: outcome.reason };
    const fetched: FetchedAnswer =
      outcome.kind === 'answered' ? { outcome, answer: storedAnswer(outcome, at, request.method) } : { outcome, answer: null };
    const rules = namedRules(area, check);
    const judgement = signInFailure === null ? await judgementOf(fetched, rules, check, project, judge) : signInFailing(signInFailure);
    if (judgement.kind === 'inconclusive') return judgement;
    const { failing, failures } = judgement;
    const milliseconds = performance.now() - startedAt;
    const made = observationOf({ ...fetched, check, failing, at, milliseconds, jobId, confirming, url: request.url });
    const evidence = {
      runId: derivedId('run', check.id, at),
      url: outcome.url,
      at: new Date(at).toISOString(),
      location: project.settings.location,
      httpStatus: outcome.kind === 'answered' ? outcome.status : null,
      milliseconds: Math.round(milliseconds),
      page: made.page,
    };
    const { answer } = fetched;
    const { type } = check.settings;
    const judged =
      answer === null
        ? null
        : judgedBy({ type, method: request.method ?? 'GET', defaultErrors: project.settings.checkDefaultErrors, rules, failures });
    const facts = { kind: 'check', checkId: check.id, at, location: project.settings.location, outcome, judged } as const;
    return { kind: 'made', made, accepted: { at, failing, evidence }, answer, exchange: () => exchangeOf(facts) };
  }
}

interface FetchJudgement {
  readonly kind: 'judged';
  /** Null if it passes. */
  readonly failing: Failing | null;
  readonly failures: readonly RuleFailure[];
}

/** What is wrong with a fetched answer. */
export async function judgementOf(
  { outcome, answer }: FetchedAnswer,
  rules: readonly NamedRule[],
  check: CheckRow,
  { settings, payerId }: ProjectRow,
  judge: Pick<Judge, 'judge'>,
): Promise<FetchJudgement | Inconclusive> {
  if (answer === null)
    return outcome.kind === 'timedOut'
      ? failing('timeout', ['fetch'], [outcome.reason])
      : failing('error', [`fetch ${outcome.code}`], [outcome.reason]);
  const job = { answer, rules, type: check.settings.type, defaultErrors: settings.checkDefaultErrors };
  // Keyed by project: expensive pages wait behind those of the same project only.
  const judgement = await judge.judge(job, check.projectId, payerId);
  if (judgement.kind === 'inconclusive') return judgement;
  const { failures } = judgement;
  if (failures.length === 0) return { kind: 'judged', failing: null, failures };
  const names = failures.map(({ rule }) => (rule === null ? 'page' : (rules[rule]?.name ?? 'page')));
  return failing(
    'error',
    names,
    failures.map(({ sentence }) => sentence),
    failures,
  );
}

const failing = (
  status: Failing['status'],
  rules: readonly string[],
  sentences: readonly string[],
  failures: readonly RuleFailure[] = [],
): FetchJudgement => ({ kind: 'judged', failing: { status, rules: [...new Set(rules)].sort(), failures: sentences }, failures });

const judgedBy = ({ rules, failures, ...settings }: Omit<JudgedBy, 'rules'> & { readonly rules: readonly NamedRule[] }): JudgedBy => ({
  ...settings,
  rules: rules.map(({ owner, type, op, val }) => ({ owner, type, op, val })),
  failures: failures.map(({ rule, sentence }) => ({ rule, sentence })),
});

/** The fetch that a failed sign-in prevented. */
function notSignedIn(url: string, { kind, reason }: SignInFailure): ConclusiveOutcome {
  const journey = { reason, url, hops: [], phases: NO_PHASES, certificate: null, address: null } as const;
  return kind === 'timedOut' ? { kind, during: 'wait', ...journey } : { kind, code: 'signIn', during: 'request', ...journey };
}

/** A sign-in fails all checks of its area (docs/spec/decisions.md#T12); a slow sign-in page is a timeout (docs/spec/decisions.md#T13). */
const signInFailing = ({ kind, reason }: SignInFailure): FetchJudgement =>
  failing(kind === 'timedOut' ? 'timeout' : 'error', ['sign-in form'], [reason]);
