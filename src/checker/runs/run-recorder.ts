import { TooManyWait } from '../../base/in-turn.ts';
import type { Lease } from '../../base/leases.ts';
import type { ObservationQueue } from '../../observations/observation-queue.ts';
import type { KeptAnswers } from '../../observations/pages/kept-answers.ts';
import { isWorthKeeping } from '../../observations/pages/kept-pages.ts';
import type { MadeRun } from '../../observations/runs/run-store.ts';
import type { CheckRow } from '../../projections/check/check.view.ts';
import type { RunOutcome } from '../checker-meter.ts';
import { nameOf } from '../page/name-of.ts';
import { Page } from '../page/page.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import { headerValue } from '../rules/stored-answer.ts';
import type { AtOnce } from '../schedule/at-once.ts';
import type { Locks } from '../../base/locks.ts';
import { withDecision } from '../verdicts/accepted-run.ts';
import type { VerdictKeeper } from '../verdicts/verdict-keeper.ts';
import type { CheckRunner, RunResult } from './check-runner.ts';
import type { HostGate } from './host-gate.ts';
import { checkUrl } from './run-settings.ts';
import type { SignedIn } from './signing-in.ts';

/** One run that has to be made. */
export interface Errand {
  readonly plan: ProjectPlan;
  readonly check: CheckRow;
  readonly lease: Lease;
  readonly jobId: string | null;
  readonly chain: { readonly correlationId: string; readonly causationId: string } | null;
  readonly confirming: boolean;
  readonly signedIn?: SignedIn;
}

/** `lost`: the shard went to somebody else, whose run counts. `own`: our trouble, to be tried again. */
export type Ran =
  | { readonly kind: 'recorded'; readonly outcome: 'ok' | 'error' | 'timeout'; readonly suspect: boolean }
  | { readonly kind: 'own' | 'lost' };

export interface RunRecorderOptions {
  readonly runner: Pick<CheckRunner, 'run'>;
  readonly queue: Pick<ObservationQueue<MadeRun>, 'add'>;
  readonly verdicts: VerdictKeeper;
  readonly answers: Pick<KeptAnswers, 'keep'>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly gate: HostGate;
  readonly locks: Locks;
  readonly atOnce: Pick<AtOnce, 'run'>;
  readonly onOwnTrouble: (reason: string) => void;
  readonly onRan: (outcome: RunOutcome) => void;
  /** A check without a name takes the title of the page that it saw first (decisions.md, T1). */
  readonly onTitle: (projectId: string, checkId: string, title: string) => Promise<void>;
}

/** Such as a key that the database did not give out: the site was not asked, or nobody could judge what it answered. */
const notMade = (error: unknown): RunResult | TooManyWait =>
  error instanceof TooManyWait ? error : { kind: 'own', reason: `a run could not be made: ${String(error)}` };

/** Makes a run, has it accepted under the shard's lease, and decides from it: in this order, one run of a check at a time. */
export class RunRecorder {
  private readonly keptAt = new Map<string, number>();

  constructor(private readonly options: RunRecorderOptions) {}

  /**
   * `fetched` resolves when the site has answered, so that the next check of a group need not wait for the writing; `done` when all is decided. Neither
   * rejects: while the next check is fetched nobody listens.
   */
  begin(errand: Errand): { readonly fetched: Promise<void>; readonly done: Promise<Ran> } {
    let answered: () => void = () => undefined;
    const fetched = new Promise<void>((resolve) => (answered = resolve));
    const done = this.options.locks
      .alone(errand.check.id, () => this.make(errand, answered))
      .then((ran) => {
        this.options.onRan(ran.kind === 'recorded' ? ran.outcome : ran.kind);
        return ran;
      })
      .finally(() => {
        answered();
      });
    return { fetched, done };
  }

  /** No run of the check is under way meanwhile. */
  alone<T>(checkId: string, work: () => Promise<T>): Promise<T> {
    return this.options.locks.alone(checkId, work);
  }

  private async make(errand: Errand, answered: () => void): Promise<Ran> {
    if (errand.lease.signal.aborted) return { kind: 'lost' };
    const result = await this.fetch(errand).catch(notMade);
    answered();
    // Given up, or its answer is somebody else's by now.
    if (errand.lease.signal.aborted) return { kind: 'lost' };
    // Counted where it waits: of thousands at once nobody reads a line each.
    if (result instanceof TooManyWait) return { kind: 'own' };
    if (result.kind === 'own') {
      this.options.onOwnTrouble(result.reason);
      return { kind: 'own' };
    }
    const { plan, check, lease, jobId, confirming, chain } = errand;
    const urgent = jobId !== null || confirming || result.accepted.failing !== null;
    const { failing, evidence } = result.accepted;
    const made = { ...result.made, whole: withDecision(result.made.whole, { failing, evidence, confirming, chain }) };
    const projectId = plan.project.id;
    const accepted = await this.options.queue.add(lease, projectId, made, urgent).catch(() => null);
    // Nobody knows whether it was written: nothing is decided from it, and the run is made again.
    if (accepted === null) return { kind: 'own' };
    if (!accepted) return { kind: 'lost' };
    const run = { projectId, checkId: check.id, run: result.accepted, confirming, chain };
    const recorded = await this.options.verdicts.record(run).catch((error: unknown) => {
      this.options.onOwnTrouble(`a verdict could not be written: ${String(error)}`);
      this.options.verdicts.forget(projectId, [check.id]);
      return null;
    });
    // What was accepted and not decided from is found in the store by the run that is made again.
    if (recorded === null) return { kind: 'own' };
    const { changed, suspect } = recorded;
    await this.keepAnswer(result, check, changed);
    await this.name(projectId, check, result);
    return { kind: 'recorded', outcome: result.accepted.failing?.status ?? 'ok', suspect };
  }

  private fetch({ plan, check, lease, jobId, confirming, signedIn }: Errand): Promise<RunResult> {
    const { gate, runner, atOnce } = this.options;
    const { host } = new URL(checkUrl(plan.project, check));
    const options = { jobId, confirming, signal: lease.signal, ...(signedIn === undefined ? {} : { signedIn }) };
    return gate.pass(
      `${plan.project.id} ${host}`,
      plan.project.settings.delay,
      () => atOnce.run(() => runner.run(plan, check, options)),
      this.options.sleep,
    );
  }

  /** So that a later question "why" has an answer. A page that could not be kept costs nobody a verdict. */
  private async keepAnswer({ accepted, answer }: RunResult & { kind: 'made' }, check: CheckRow, verdictChanged: boolean): Promise<void> {
    const { at } = accepted;
    if (answer === null || !isWorthKeeping({ verdictChanged, at, lastKeptAt: this.keptAt.get(check.id) ?? null })) return;
    this.keptAt.set(check.id, at);
    await this.options.answers.keep(check.id, at, answer).catch(() => undefined);
  }

  private async name(projectId: string, check: CheckRow, { answer, made }: RunResult & { kind: 'made' }): Promise<void> {
    if (check.settings.name !== '' || answer === null || made.outcome !== 'ok') return;
    const { body, cut } = answer;
    const [title] = new Page({ body, contentType: headerValue(answer, 'content-type') ?? '', cut }).facts.titles;
    const name = nameOf(title ?? '');
    // Without a name for now: the next run sees the title again.
    if (name !== '') await this.options.onTitle(projectId, check.id, name).catch(() => undefined);
  }
}
