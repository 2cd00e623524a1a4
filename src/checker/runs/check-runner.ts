import type { Extraction } from '../../projects/checks/extraction.ts';
import type { Failing } from '../verdicts/verdict.events.ts';
import type { AcceptedRun } from '../verdicts/recent-runs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Exchange, JudgedBy } from '../../platform/observations/exchanges/exchange.ts';
import type { MadeRun } from '../../platform/observations/runs/run-store.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import { type Inconclusive, type ConclusiveOutcome, NO_PHASES } from '../probe/outcome.ts';
import { exchangeOf } from '../evidence/exchange-of.ts';
import { secretsOfOutcome } from '../evidence/hidden-headers.ts';
import { htmlEnd, type HtmlEnd } from '../detectors/html-end.ts';
import type { RuleFailure } from '../judging/judge-job.ts';
import type { Judge } from '../judging/judge.ts';
import type { Prober } from '../probe/prober.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import { type StoredAnswer, storedAnswer } from '../rules/stored-answer.ts';
import { UnusableValue } from '../steps/placeholders.ts';
import { SecretMask, maskedFetch } from '../steps/secret-mask.ts';
import { type Skipped, skipped, StepValues, type UsedValues } from '../steps/step-values.ts';
import type { SignInAttempt, SignInFailure } from './area-sign-in.ts';
import { type FetchedAnswer, observationOf } from './run-observation.ts';
import { checkUrl, type NamedRule, namedRules, requestHash, requestOf, runSource } from './run-request.ts';

export interface RunOptions {
  readonly jobId: string | null;
  readonly confirming: boolean;
  /** Aborts the fetch, when the lease is lost. */
  readonly signal?: AbortSignal;
  /** The sign-in of the area, if it has a sign-in form. */
  readonly signIn?: SignInAttempt;
  /** The values of the earlier steps of its journey. */
  readonly values?: StepValues;
}

export interface CompletedRun {
  readonly kind: 'made';
  readonly made: MadeRun;
  readonly accepted: AcceptedRun;
  readonly answer: StoredAnswer | null;
  /** Without the secrets of a journey. */
  readonly outcome: ConclusiveOutcome;
  /** The request and answer, as they are kept where an event rests on them. */
  readonly exchange: () => Exchange;
  /** W3C Trace Context of the fetch, where it was traced. */
  readonly traceparent?: string;
}

export type RunResult = CompletedRun | Skipped | Inconclusive;

export interface CheckRunnerOptions {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly judge: Pick<Judge, 'judge'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** What earlier runs of the check show; of a check that is not saved, those of its project. */
  readonly haveEnded: (check: CheckRow, requested: string) => Promise<boolean>;
}

/** Fetches the page of a check and judges it. Stores nothing. */
export class CheckRunner {
  constructor(private readonly options: CheckRunnerOptions) {}

  async run(watched: WatchedProject, check: CheckRow, options: RunOptions): Promise<RunResult> {
    const { values = new StepValues() } = options;
    const isSignedIn = (options.signIn?.failure ?? null) === null;
    const used = isSignedIn ? values.usedBy(watched, check, checkUrl(watched.project, check)) : NOTHING;
    const result = used.kind === 'used' ? await this.fetched(watched, check, { ...options, values }, used) : used;
    if (result.kind === 'inconclusive') values.fail(check.id, result.reason);
    if (result.kind === 'skipped') values.give(check.id, [], new Map(), '');
    return result;
  }

  private async fetched(
    watched: WatchedProject,
    check: CheckRow,
    { jobId, confirming, signal, signIn, values }: RunOptions,
    used: UsedValues,
  ): Promise<RunResult> {
    const { prober, judge, keyring, clock, haveEnded } = this.options;
    const { project } = watched;
    const area = watched.areas.get(check.areaId);
    const signInFailure = signIn?.failure ?? null;
    if (signInFailure?.kind === 'inconclusive') return signInFailure;
    const request = await requestOf(project, area, check, keyring, {
      ...(signIn === undefined ? {} : { session: signIn.session }),
      values: used.values,
    }).catch(unusable);
    if (request instanceof UnusableValue) return skipped(check.settings.options.uses?.join(', ') ?? '', null, request.message);
    const at = clock.now();
    const startedAt = performance.now();
    const outcome =
      signInFailure === null
        ? await prober.fetch({ ...request, source: runSource(watched, jobId), ...(signal !== undefined && { signal }) })
        : notSignedIn(request.url, signInFailure);
    if (outcome.kind === 'inconclusive') return { kind: 'inconclusive', reason: new SecretMask(used.secrets).text(outcome.reason) };
    const fetched: FetchedAnswer =
      outcome.kind === 'answered' ? { outcome, answer: storedAnswer(outcome, at, request.method) } : { outcome, answer: null };
    const rules = namedRules(area, check);
    const requested = requestHash(project, area, check);
    const end = fetched.answer === null ? null : htmlEnd(fetched.answer);
    const endExpected = end === 'open' && (await haveEnded(check, requested));
    const judgement =
      signInFailure === null ? await judgementOf(fetched, rules, check, project, judge, endExpected) : signInFailing(signInFailure);
    if (judgement.kind === 'inconclusive') return judgement;
    const timing = { at, milliseconds: performance.now() - startedAt };
    values?.give(check.id, check.settings.options.extract ?? [], judgement.values ?? new Map(), outcome.url);
    const asked = { url: request.url, requested, end, endExpected };
    return completed({ fetched, judgement, rules, used, project, check, jobId, confirming, ...asked, ...timing });
  }
}

interface FinishedRun {
  readonly fetched: FetchedAnswer;
  readonly judgement: FetchJudgement;
  readonly rules: readonly NamedRule[];
  readonly used: UsedValues;
  readonly project: ProjectRow;
  readonly check: CheckRow;
  readonly jobId: string | null;
  readonly confirming: boolean;
  readonly at: number;
  readonly milliseconds: number;
  readonly url: string;
  readonly requested: string;
  readonly end: HtmlEnd | null;
  readonly endExpected: boolean;
}

/** The run as it is stored: without the secrets of a journey. */
function completed({ fetched, judgement, rules, used, project, check, url, ...facts }: FinishedRun): CompletedRun {
  const { extract = [] } = check.settings.options;
  const { at, milliseconds, endExpected } = facts;
  const { location, checkDefaultErrors: defaultErrors } = project.settings;
  const secrets = [...secretsOf(extract, judgement.values ?? new Map()), ...used.secrets];
  // A text that a rule names is no secret to the readers of its sentence.
  const quotable = (): readonly string[] =>
    secretsOfOutcome(fetched.outcome).filter((secret) => !rules.some(({ val }) => val.includes(secret)));
  const mask = new SecretMask(secrets);
  const { outcome, answer, ...shown } = {
    ...maskedFetch(fetched, mask),
    ...maskedJudgement(judgement, () => [...secrets, ...quotable()]),
  };
  const seen = observationOf({ ...facts, ...({ outcome, answer } as FetchedAnswer), check, failing: shown.failing, url: mask.text(url) });
  // An answer with a secret to extract is not kept: it may hold the secret in any spelling, also where it was not found.
  const isKept = !extract.some(isSecret);
  const made = isKept ? seen : { ...seen, page: null };
  const evidence = {
    runId: derivedId('run', check.id, at),
    url: outcome.url,
    at: new Date(at).toISOString(),
    location,
    httpStatus: answer?.status ?? null,
    milliseconds: Math.round(milliseconds),
    page: made.page,
  };
  const { type, options } = check.settings;
  const { failures } = shown;
  const given = { type, method: options.method ?? 'GET', defaultErrors, ...(endExpected && { endExpected }), rules, failures };
  const judged = answer === null ? null : judgedBy(given);
  const exchange = { kind: 'check', checkId: check.id, at, location, outcome, judged } as const;
  const accepted = { at, failing: shown.failing, evidence };
  return { kind: 'made', made, accepted, outcome, answer: isKept ? answer : null, exchange: () => exchangeOf(exchange) };
}

const isSecret = ({ secret = true }: Extraction): boolean => secret;

const secretsOf = (extract: readonly Extraction[], values: ReadonlyMap<string, string>): readonly string[] =>
  extract.filter(isSecret).flatMap(({ name }) => values.get(name) ?? []);

function maskedJudgement(
  { failing, failures }: FetchJudgement,
  secrets: () => readonly string[],
): Pick<FetchJudgement, 'failing' | 'failures'> {
  if (failing === null) return { failing, failures };
  const mask = new SecretMask(secrets());
  return {
    failing: { ...failing, failures: failing.failures.map((sentence) => mask.text(sentence)) },
    failures: failures.map(({ rule, sentence }) => ({ rule, sentence: mask.text(sentence) })),
  };
}

const NOTHING: UsedValues = { kind: 'used', values: new Map(), secrets: [] };

function unusable(error: unknown): UnusableValue {
  if (error instanceof UnusableValue) return error;
  throw error;
}

interface FetchJudgement {
  readonly kind: 'judged';
  /** Null if it passes. */
  readonly failing: Failing | null;
  readonly failures: readonly RuleFailure[];
  /** Extracted ones, by name. */
  readonly values?: ReadonlyMap<string, string>;
}

/** What is wrong with a fetched answer, and what later steps take from it. */
export async function judgementOf(
  { outcome, answer }: FetchedAnswer,
  rules: readonly NamedRule[],
  check: CheckRow,
  { settings, payerId }: ProjectRow,
  judge: Pick<Judge, 'judge'>,
  endExpected = false,
): Promise<FetchJudgement | Inconclusive> {
  if (answer === null)
    return outcome.kind === 'timedOut'
      ? failing('timeout', ['fetch'], [outcome.reason])
      : failing('error', [`fetch ${outcome.code}`], [outcome.reason]);
  const { extract } = check.settings.options;
  const job = {
    answer,
    rules,
    type: check.settings.type,
    defaultErrors: settings.checkDefaultErrors,
    ...(endExpected && { endExpected }),
    ...(extract !== undefined && { extract }),
  };
  // Keyed by project: expensive pages wait behind those of the same project only.
  const judgement = await judge.judge(job, check.projectId, payerId);
  if (judgement.kind === 'inconclusive') return judgement;
  const { failures, values } = judgement;
  const given = values === undefined ? {} : { values };
  if (failures.length === 0) return { kind: 'judged', failing: null, failures, ...given };
  const extraction = (index: number): string => `extract ${extract?.[index]?.name ?? ''}`;
  const names = failures.map(({ rule }) => (rule === null ? 'page' : (rules[rule]?.name ?? extraction(rule - rules.length))));
  const sentences = failures.map(({ sentence }) => sentence);
  return { ...failing('error', names, sentences, failures), ...given };
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
