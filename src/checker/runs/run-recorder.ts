import { QueueFull } from '../../kernel/concurrency-limit.ts';
import type { EventChain } from '../../kernel/event.ts';
import type { Lease } from '../../persistence/leases.ts';
import type { ObservationQueue } from '../../observations/observation-queue.ts';
import type { KeptAnswers } from '../../observations/pages/kept-answers.ts';
import { KeepThrottle } from '../../observations/pages/kept-answers.ts';
import type { MadeRun } from '../../observations/runs/run-store.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { RunOutcome } from '../checker-meter.ts';
import { nameOf } from '../page/name-of.ts';
import { Page } from '../page/page.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import { headerValue } from '../rules/stored-answer.ts';
import type { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import { withDecision } from '../verdicts/accepted-run.ts';
import type { VerdictKeeper } from '../verdicts/verdict-keeper.ts';
import type { CheckRunner, RunResult } from './check-runner.ts';
import { type HostGate, hostOf } from './host-gate.ts';
import { checkUrl } from './run-settings.ts';
import type { SignedIn } from './signing-in.ts';

/** A check as it stands, with all that it stands in. */
export interface Subject {
  readonly plan: ProjectPlan;
  readonly check: CheckRow;
}

/** One run that has to be made. */
export interface Errand {
  readonly projectId: string;
  readonly checkId: string;
  /** Asked when its turn at the host has come, for which it may have waited long; null: it is not to be run any more. */
  readonly now: () => Subject | null;
  readonly lease: Lease;
  readonly jobId: string | null;
  readonly chain: EventChain | null;
  readonly confirming: boolean;
  readonly signedIn?: SignedIn;
}

/** `lost`: the shard went to somebody else, whose run counts. `own`: our trouble, to be tried again. `gone`: it was not to be run any more. */
export type Ran =
  | { readonly kind: 'recorded'; readonly outcome: 'ok' | 'error' | 'timeout'; readonly suspect: boolean }
  | { readonly kind: 'inconclusive' | 'lost' | 'gone' };

type Made = Extract<RunResult, { kind: 'made' }>;
type Own = Extract<RunResult, { kind: 'inconclusive' }>;
/** `check`: as it was when the site was asked. */
type Asked = RunResult & Pick<Subject, 'check'>;

export interface RunRecorderOptions {
  readonly runner: Pick<CheckRunner, 'run'>;
  readonly queue: Pick<ObservationQueue<MadeRun>, 'add'>;
  readonly verdicts: VerdictKeeper;
  readonly answers: Pick<KeptAnswers, 'keep'>;
  readonly gate: HostGate;
  readonly locks: KeyedMutex;
  readonly atOnce: Pick<ConcurrencyLimit, 'run'>;
  readonly onOwnTrouble: (reason: string) => void;
  readonly onRan: (outcome: RunOutcome) => void;
  /** A check without a name takes the title of the page that it saw first (docs/spec/decisions.md#T1). */
  readonly onTitle: (projectId: string, checkId: string, title: string) => Promise<void>;
}

/** Such as a key that the database did not give out: the site was not asked, or nobody could judge what it answered. */
const notMade = (error: unknown): Own | QueueFull =>
  error instanceof QueueFull ? error : { kind: 'inconclusive', reason: `a run could not be made: ${String(error)}` };

/** Read on the thread that everybody shares, and again with each run of a page without one. */
const TITLE_WITHIN = 512 * 1024;

const urlOf = ({ plan, check }: Subject): string => checkUrl(plan.project, check);

/** Makes a run, has it accepted under the shard's lease, and decides from it: in this order, one run of a check at a time. */
export class RunRecorder {
  private readonly kept = new KeepThrottle();

  constructor(private readonly options: RunRecorderOptions) {}

  /**
   * `fetched` resolves when the site has answered, so that the next check of a group need not wait for the writing; `done` when all is decided. Neither
   * rejects: while the next check is fetched nobody listens.
   */
  begin(errand: Errand): { readonly fetched: Promise<void>; readonly done: Promise<Ran> } {
    let answered: () => void = () => undefined;
    const fetched = new Promise<void>((resolve) => (answered = resolve));
    const done = this.options.locks
      .runExclusive(errand.checkId, () => this.make(errand, answered))
      .then((ran) => {
        if (ran.kind !== 'gone') this.options.onRan(ran.kind === 'recorded' ? ran.outcome : ran.kind);
        return ran;
      })
      .finally(() => {
        answered();
      });
    return { fetched, done };
  }

  /** No run of the check is under way meanwhile. */
  alone<T>(checkId: string, work: () => Promise<T>): Promise<T> {
    return this.options.locks.runExclusive(checkId, work);
  }

  /** The check was deleted: what is kept of it goes when a run that is under way has ended. */
  dismiss(projectId: string, checkId: string): Promise<void> {
    return this.alone(checkId, () => {
      this.options.verdicts.dismiss(projectId, checkId);
      return Promise.resolve();
    });
  }

  private async make(errand: Errand, answered: () => void): Promise<Ran> {
    const { lease } = errand;
    if (lease.signal.aborted) return { kind: 'lost' };
    const asked = await this.ask(errand).catch(notMade);
    answered();
    // Given up, or its answer is somebody else's by now.
    if (lease.signal.aborted) return { kind: 'lost' };
    if (asked === null) return { kind: 'gone' };
    // Counted where it waits: of thousands at once nobody reads a line each.
    if (asked instanceof QueueFull) return { kind: 'inconclusive' };
    if (asked.kind === 'inconclusive') {
      this.options.onOwnTrouble(asked.reason);
      return { kind: 'inconclusive' };
    }
    return this.record(errand, asked.check, asked);
  }

  /** When its turn comes: the check may lead elsewhere by then, and so has another turn. */
  private async ask({ projectId, now, lease, jobId, confirming, signedIn }: Errand): Promise<Asked | null> {
    const { gate, runner, atOnce } = this.options;
    const options = { jobId, confirming, signal: lease.signal, ...(signedIn === undefined ? {} : { signedIn }) };
    for (let subject = now(); subject !== null && !lease.signal.aborted; subject = now()) {
      const url = urlOf(subject);
      let pause = 0;
      const asked = await gate.pass({ projectId, url, delayMs: () => pause }, () =>
        atOnce.run(async (): Promise<Asked | null> => {
          const current = now();
          if (current === null || lease.signal.aborted || hostOf(urlOf(current)) !== hostOf(url)) return null;
          pause = current.plan.project.settings.delay;
          return { ...(await runner.run(current.plan, current.check, options)), check: current.check };
        }),
      );
      if (asked !== null) return asked;
    }
    return null;
  }

  private async record(errand: Errand, check: CheckRow, result: Made): Promise<Ran> {
    const { projectId, lease, jobId, confirming, chain } = errand;
    const urgent = jobId !== null || confirming || result.accepted.failing !== null;
    const { failing, evidence } = result.accepted;
    const made = { ...result.made, whole: withDecision(result.made.whole, { failing, evidence, confirming, chain }) };
    const accepted = await this.options.queue.add(lease, projectId, made, urgent).catch(() => null);
    if (accepted === null) {
      // Nobody knows whether it was written: nothing is decided from it, and the run is made again, which finds it where it was.
      this.options.verdicts.doubt(projectId, check.id);
      return { kind: 'inconclusive' };
    }
    if (!accepted) return { kind: 'lost' };
    const run = { projectId, checkId: check.id, run: result.accepted, confirming, chain };
    const recorded = await this.options.verdicts.record(run).catch((error: unknown) => {
      this.options.onOwnTrouble(`a verdict could not be written: ${String(error)}`);
      this.options.verdicts.doubt(projectId, check.id);
      return null;
    });
    // What was accepted and not decided from is found in the store by the run that is made again.
    if (recorded === null) return { kind: 'inconclusive' };
    const { changed, suspect } = recorded;
    await this.keepAnswer(result, check, changed);
    await this.name(projectId, check, result);
    return { kind: 'recorded', outcome: result.accepted.failing?.status ?? 'ok', suspect };
  }

  /** So that a later question "why" has an answer. A page that could not be kept costs nobody a verdict. */
  private async keepAnswer({ accepted, answer }: Made, check: CheckRow, verdictChanged: boolean): Promise<void> {
    const { at } = accepted;
    if (answer === null || !this.kept.isDue(check.id, at, verdictChanged)) return;
    await this.options.answers.keep(check.id, at, answer).catch(() => undefined);
  }

  private async name(projectId: string, check: CheckRow, { answer, made }: Made): Promise<void> {
    if (check.settings.name !== '' || answer === null || made.outcome !== 'ok') return;
    const body = answer.body.subarray(0, TITLE_WITHIN);
    const cut = answer.cut || body.length < answer.body.length;
    const [title] = new Page({ body, contentType: headerValue(answer, 'content-type') ?? '', cut }).facts.titles;
    const name = nameOf(title ?? '');
    // Without a name for now: the next run sees the title again.
    if (name !== '') await this.options.onTitle(projectId, check.id, name).catch(() => undefined);
  }
}
