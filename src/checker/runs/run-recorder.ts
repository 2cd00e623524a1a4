import { type ConcurrencyLimit, QueueFull } from '../../kernel/concurrency-limit.ts';
import type { EventChain } from '../../kernel/event.ts';
import type { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { formatTraceparent, traceOf } from '../../kernel/trace-context.ts';
import { noTracer, traced, type Tracer } from '../../kernel/tracer.ts';
import type { ObservationQueue } from '../../platform/observations/observation-queue.ts';
import { KeepThrottle, type KeptAnswers } from '../../platform/observations/pages/kept-answers.ts';
import type { MadeRun } from '../../platform/observations/runs/run-store.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { RunOutcome } from '../checker-meter.ts';
import { hiddenCookie } from '../evidence/hidden-headers.ts';
import type { EvidenceKeeper } from '../evidence/keep-evidence.ts';
import { type ConclusiveOutcome, inconclusive, type Inconclusive } from '../probe/outcome.ts';
import { checkNameOf } from '../page/page-facts.ts';
import { Page } from '../page/page.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';
import { headerValue } from '../rules/stored-answer.ts';
import { withDecision } from '../verdicts/stored-decision.ts';
import type { VerdictKeeper } from '../verdicts/verdict-keeper.ts';
import type { Skipped, StepValues } from '../steps/step-values.ts';
import type { SignInAttempt } from './area-sign-in.ts';
import type { CheckRunner, CompletedRun, RunResult } from './check-runner.ts';
import { type HostGate, urlHost } from './host-gate.ts';
import { checkUrl, runSource } from './run-request.ts';

/** A check with the current settings of its project. */
export interface Subject {
  readonly watched: WatchedProject;
  readonly check: CheckRow;
}

/** One run to execute. */
export interface Task {
  readonly projectId: string;
  readonly checkId: string;
  /** Evaluated after each wait, which may be long; null if the check must no longer run. */
  readonly currentSubject: () => Subject | null;
  readonly lease: Lease;
  readonly jobId: string | null;
  readonly chain: EventChain | null;
  readonly confirming: boolean;
  readonly signIn?: SignInAttempt;
  readonly values?: StepValues;
}

/**
 * `leaseLost`: another instance runs the check. `cancelled`: the check was deleted, disabled or moved before it ran. `postponed`: nothing was tried,
 * because the queue was full. `skipped`: a value of an earlier step is missing.
 */
export type ExecutedRun =
  | { readonly kind: 'recorded'; readonly status: 'ok' | 'error' | 'timeout'; readonly needsConfirmation: boolean }
  | Inconclusive
  | { readonly kind: 'postponed'; readonly reason: string }
  | { readonly kind: 'leaseLost' | 'cancelled' | 'skipped' };

/** A result, with the check as it was when the site was asked. */
type CheckedResult = (RunResult & Pick<Subject, 'check'>) | typeof OVERLOADED;

export interface RunRecorderOptions {
  readonly runner: Pick<CheckRunner, 'run'>;
  readonly queue: Pick<ObservationQueue<MadeRun>, 'add'>;
  readonly verdicts: VerdictKeeper;
  readonly answers: Pick<KeptAnswers, 'keep'>;
  readonly evidence: Pick<EvidenceKeeper, 'begin'>;
  readonly gate: HostGate;
  readonly mutex: KeyedMutex;
  readonly fetchLimit: Pick<ConcurrencyLimit, 'run'>;
  /** False while a verdict would be refused, because the read models are too far behind. */
  readonly canDecide: () => boolean;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  readonly onInconclusive: (reason: string) => void;
  /** A page could not be kept, as when the object store refuses it. */
  readonly onNotKept: (error: unknown) => void;
  readonly tracer?: Tracer;
  readonly onRunEnded: (outcome: RunOutcome) => void;
  /** After the verdict; also of a page of another host. Never rejects. */
  readonly onAccepted?: (projectId: string, outcome: ConclusiveOutcome) => Promise<void>;
  /** A check without a name takes the title of the first page it sees (docs/spec/decisions.md#T1). */
  readonly onTitle: (projectId: string, checkId: string, title: string) => Promise<void>;
}

/** The title is parsed on the main thread, and again with every run while there is none. */
const MAX_TITLE_BYTES = 512 * 1024;

const POSTPONED = { kind: 'postponed', reason: 'too many runs of this account are waiting' } as const;
const OVERLOADED = { kind: 'postponed', reason: 'the read models are too far behind' } as const;
const GATE_POLL_MS = 250;

/** Such as a key that could not be read from the database. */
const notExecuted = (error: unknown): Inconclusive | typeof POSTPONED =>
  error instanceof QueueFull ? POSTPONED : inconclusive(`the run could not be executed: ${String(error)}`);

const urlOf = ({ watched, check }: Subject): string => checkUrl(watched.project, check);

/** Executes a run, has it accepted under the lease of its shard, and decides the verdict from it: in this order, one run of a check at a time. */
export class RunRecorder {
  private readonly kept = new KeepThrottle();

  constructor(private readonly options: RunRecorderOptions) {}

  /**
   * `fetched` resolves when the site has answered, so that the next check of an area does not wait for the storing; `done` when the verdict is decided.
   * Neither rejects, because no handler is attached to `done` while the next check is fetched.
   */
  start(task: Task): { readonly fetched: Promise<void>; readonly done: Promise<ExecutedRun> } {
    let onFetched: () => void = () => undefined;
    const fetched = new Promise<void>((resolve) => (onFetched = resolve));
    const done = this.options.mutex
      .runExclusive(task.checkId, () => this.execute(task, onFetched))
      .then((run) => {
        if (run.kind !== 'cancelled' && run.kind !== 'postponed') this.options.onRunEnded(run.kind === 'recorded' ? run.status : run.kind);
        return run;
      })
      .finally(() => {
        onFetched();
      });
    return { fetched, done };
  }

  /** Fetches a step for the values that it gives to later ones; nothing is stored or decided. */
  async fetchStep(task: Task): Promise<void> {
    const result = await this.runWhenAdmitted(task).catch(notExecuted);
    if (result !== null && (result.kind === 'inconclusive' || result.kind === 'postponed')) task.values?.fail(task.checkId, result.reason);
  }

  /** Does the work while no run of the check is under way. */
  runExclusive<Result>(checkId: string, work: () => Promise<Result>): Promise<Result> {
    return this.options.mutex.runExclusive(checkId, work);
  }

  /** Forgets a deleted check once a run under way has ended. */
  forgetCheck(projectId: string, checkId: string): Promise<void> {
    return this.runExclusive(checkId, () => {
      this.options.verdicts.forgetCheck(projectId, checkId);
      return Promise.resolve();
    });
  }

  private async execute(task: Task, onFetched: () => void): Promise<ExecutedRun> {
    const { lease } = task;
    if (lease.signal.aborted) return { kind: 'leaseLost' };
    const result = await this.runWhenAdmitted(task).catch(notExecuted);
    onFetched();
    if (lease.signal.aborted) return { kind: 'leaseLost' };
    if (result === null) return { kind: 'cancelled' };
    if (result.kind === 'made') return this.record(task, result.check, result);
    // Refusals, of which there may be thousands at once, are counted by the limit.
    if (result.kind === 'postponed') return result;
    if (result.kind === 'skipped') return this.skip(task, result);
    this.options.onInconclusive(result.reason);
    return inconclusive(result.reason);
  }

  /** The verdict stays as it is, and says that the check is not run. */
  private async skip({ projectId, checkId, chain }: Task, { missing }: Skipped): Promise<ExecutedRun> {
    try {
      await this.options.verdicts.skip(projectId, checkId, chain, missing);
      return { kind: 'skipped' };
    } catch (error) {
      const reason = `the skipped run could not be recorded: ${String(error)}`;
      this.options.onInconclusive(reason);
      return inconclusive(reason);
    }
  }

  /** Passes the host gate and the fetch limit; queues again if the check got another host while it waited. */
  private async runWhenAdmitted(task: Task): Promise<CheckedResult | null> {
    const { projectId, currentSubject, lease, jobId, confirming, signIn, values } = task;
    const { gate, runner, fetchLimit } = this.options;
    const options = { jobId, confirming, signal: lease.signal, ...(signIn === undefined ? {} : { signIn }), ...(values && { values }) };
    for (let subject = currentSubject(); subject !== null && !lease.signal.aborted; subject = currentSubject()) {
      const url = urlOf(subject);
      const source = runSource(subject.watched, jobId);
      let pauseMs = 0;
      const result = await gate.pass({ projectId, url, delayMs: () => pauseMs, isOnDemand: jobId !== null }, () =>
        fetchLimit.run(async (): Promise<CheckedResult | null> => {
          const current = currentSubject();
          if (current === null || lease.signal.aborted || urlHost(urlOf(current)) !== urlHost(url)) return null;
          if (!this.options.canDecide()) return OVERLOADED;
          pauseMs = current.watched.project.settings.delay;
          const made = await this.fetch(task, () => runner.run(current.watched, current.check, options));
          return { ...made, check: current.check };
        }, source),
      );
      if (result !== null) return result;
    }
    return null;
  }

  /** A span around the fetch, in the trace of the job. */
  private fetch({ projectId, checkId, chain, confirming }: Task, run: () => Promise<RunResult>): Promise<RunResult> {
    const { tracer = noTracer } = this.options;
    const attributes = { 'watchledger.project.id': projectId, 'watchledger.check.id': checkId, 'watchledger.confirming': confirming };
    return traced(tracer, 'probe check', { kind: 'client', parent: chain && traceOf(chain), attributes }, async (span) => {
      const result = await run();
      span.set({ 'watchledger.outcome': result.kind === 'made' ? result.made.outcome : result.kind });
      return result.kind === 'made' && span.context !== null ? { ...result, traceparent: formatTraceparent(span.context) } : result;
    });
  }

  private async record(task: Task, check: CheckRow, run: CompletedRun): Promise<ExecutedRun> {
    const { projectId, lease, jobId, confirming, chain } = task;
    const { queue, verdicts, onInconclusive } = this.options;
    const { failing, at } = run.accepted;
    const isUrgent = jobId !== null || confirming || failing !== null;
    const decisive = verdicts.decisiveness(projectId, check.id, failing !== null);
    const body = run.answer?.body ?? null;
    const kept = this.options.evidence.begin({ projectId, at, exchange: run.exchange, body, decisive, urgent: isUrgent });
    const evidence = { ...run.accepted.evidence, ...kept.reference };
    const accepted = { ...run.accepted, evidence };
    const made = { ...run.made, whole: withDecision(run.made.whole, { failing, evidence, confirming, chain }) };
    const isAccepted = await queue.add(lease, projectId, made, isUrgent).catch(() => null);
    if (isAccepted === null) {
      // It is unknown whether the run was stored: nothing is decided from it, and the repeated run reads the stored ones.
      verdicts.doubt(projectId, check.id);
      return inconclusive('the run could not be stored');
    }
    if (!isAccepted) return { kind: 'leaseLost' };
    // The run is stored: it waits for its verdict, instead of being repeated. Without the lease the next owner decides.
    while (!this.options.canDecide() && !lease.signal.aborted) await this.options.sleep(GATE_POLL_MS);
    await kept.kept();
    if (lease.signal.aborted) return { kind: 'leaseLost' };
    try {
      const recorded = await verdicts.record({
        projectId,
        checkId: check.id,
        run: accepted,
        confirming,
        chain,
        ...(run.traceparent !== undefined && { traceparent: run.traceparent }),
      });
      await kept.decided(recorded.changed);
      await this.keepAnswer(projectId, run, check, { isVerdictChanged: recorded.changed, isUrgent });
      await this.nameCheck(projectId, check, run);
      await this.options.onAccepted?.(projectId, run.outcome);
      return { kind: 'recorded', status: failing?.status ?? 'ok', needsConfirmation: recorded.needsConfirmation };
    } catch (error) {
      // The repeated run finds this one in the store, and decides from both.
      const reason = `the verdict could not be recorded: ${String(error)}`;
      onInconclusive(reason);
      verdicts.doubt(projectId, check.id);
      return inconclusive(reason);
    }
  }

  /** Keeps the page as evidence; an error here must not void the verdict. */
  private async keepAnswer(
    projectId: string,
    { accepted, answer }: CompletedRun,
    check: CheckRow,
    { isVerdictChanged, isUrgent }: { readonly isVerdictChanged: boolean; readonly isUrgent: boolean },
  ): Promise<void> {
    const { at, failing } = accepted;
    if (answer === null || !this.kept.isDue(check.id, at, isVerdictChanged)) return;
    const kept = { ...answer, headers: answer.headers.map(hiddenCookie) };
    await this.options.answers.keep({ projectId, checkId: check.id }, at, kept, failing === null, isUrgent).catch(this.options.onNotKept);
  }

  private async nameCheck(projectId: string, check: CheckRow, { answer, made }: CompletedRun): Promise<void> {
    if (check.settings.name !== '' || answer === null || made.outcome !== 'ok') return;
    const body = answer.body.subarray(0, MAX_TITLE_BYTES);
    const cut = answer.cut || body.length < answer.body.length;
    const [title] = new Page({ body, contentType: headerValue(answer, 'content-type') ?? '', cut }).facts.titles;
    const name = checkNameOf(title ?? '');
    // After an error the next run tries again.
    if (name !== '') await this.options.onTitle(projectId, check.id, name).catch(() => undefined);
  }
}
