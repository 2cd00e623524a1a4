import type { Clock } from '../../kernel/clock.ts';
import { hash32 } from '../../kernel/hash.ts';
import type { Lease } from '../../platform/postgres/leases.ts';
import type { JobRow } from '../jobs/job.view.ts';
import type { CheckerContext, TurnHandler } from '../checker.ts';
import { inconclusive } from '../probe/outcome.ts';
import { ProbeSession } from '../probe/probe-session.ts';
import { enabledChecks, type WatchedProject } from '../projects/watched-projects.ts';
import type { SharedSignIn, SignInAttempt } from '../runs/area-sign-in.ts';
import { neededSteps, StepValues } from '../steps/step-values.ts';
import { runSource } from '../runs/run-request.ts';
import type { ExecutedRun, RunRecorder, Subject, Task } from '../runs/run-recorder.ts';

/** The confirming run follows after 10 to 30 seconds (docs/spec/decisions.md#J11), spread so that the checks of a broken site do not all run at once. */
const CONFIRM_AFTER_MS = 10_000;
const SPREAD_MS = 15_000;
/** The wait before an inconclusive run is repeated; repeats are spread over a further time. */
const REPEAT_AFTER_MS = 30_000;
/** A job starts all of its checks within this time. */
const JOB_SIGN_IN_SHARED_MS = 120_000;
/** The confirming runs of an area share a sign-in, because some sites lock an account after many. */
const SIGN_IN_SHARED_MS = 30_000;

export interface CheckTurnsOptions {
  readonly checker: CheckerContext;
  readonly recorder: RunRecorder;
  readonly signIn: Pick<SharedSignIn, 'signIn'>;
  readonly clock: Clock;
  readonly onFormFound: (projectId: string, areaId: string, finding: NonNullable<SignInAttempt['formFinding']>) => Promise<void>;
}

type NewTask = Omit<Task, 'currentSubject'>;

/** Runs checks: all of an area when it is due, a single one to confirm or repeat, and those of a job. */
export class CheckTurns {
  private readonly sharedSignIns = new Map<string, Promise<SignInAttempt | undefined>>();
  /** The values of the journeys of jobs, by job and area. */
  private readonly journeys = new Map<string, StepValues>();

  constructor(private readonly options: CheckTurnsOptions) {}

  /** The enabled checks of an area, one after the other. */
  readonly runArea: TurnHandler = async ({ projectId, subjectId }, lease) => {
    const { checker, recorder } = this.options;
    const watched = checker.projects.get(projectId);
    if (watched === undefined || subjectId === null) return;
    const signIn = await this.trySignIn(watched, subjectId, null);
    const values = new StepValues();
    const runs = [];
    for (const { id: checkId } of enabledChecks(watched, subjectId)) {
      // The shard may be on its way to another checker, which makes up for the rest.
      if (lease.signal.aborted || checker.leaseOf(projectId) !== lease) break;
      // Checks may be changed, moved, disabled or deleted during a long turn.
      const currentSubject = (): Subject | null => inArea(subjectId, this.subjectOf(projectId, checkId));
      if (currentSubject() === null) continue;
      const task = { projectId, checkId, lease, jobId: null, chain: null, confirming: false };
      const { fetched, done } = recorder.start({ ...task, currentSubject, values, ...(signIn && { signIn }) });
      runs.push(done.then((run) => this.scheduleFollowUp(task, run)));
      await fetched;
    }
    await Promise.all(runs);
  };

  /** A run that confirms a failure, or repeats a missed or inconclusive run. */
  readonly runCheck: TurnHandler = async ({ kind, projectId, subjectId }, lease) => {
    if (subjectId === null) return;
    const task = { projectId, checkId: subjectId, lease, jobId: null, chain: null, confirming: kind === 'confirm' };
    await this.runSingle(task, (watched, areaId) => this.shareSignIn(`${kind} ${areaId}`, watched, areaId, null));
  };

  runForJob(checkId: string, { request, chain }: JobRow, lease: Lease): Promise<ExecutedRun> {
    const { jobId, projectId } = request;
    const task = { projectId, checkId, lease, jobId, chain, confirming: false };
    const areaId = this.subjectOf(projectId, checkId)?.check.areaId;
    const values = areaId === undefined ? new StepValues() : this.journeyOf(`${jobId} ${areaId}`);
    const run = this.runSingle(task, (watched, area) => this.shareSignIn(`${jobId} ${area}`, watched, area, jobId), values);
    // Later steps of the job wait for it, instead of running this one again.
    values.started.set(checkId, run);
    return run;
  }

  scheduleConfirmation(projectId: string, checkId: string, suspectedSince: number): void {
    const due = suspectedSince + CONFIRM_AFTER_MS + (hash32(checkId) % SPREAD_MS);
    this.options.checker.scheduleOnce({ kind: 'confirm', projectId, subjectId: checkId }, due);
  }

  /** Starts over, with another sign-in, if the check was moved to another area while it waited. */
  private async runSingle(
    task: NewTask,
    signIn: (watched: WatchedProject, areaId: string) => Promise<SignInAttempt | undefined>,
    values = new StepValues(),
  ): Promise<ExecutedRun> {
    const { projectId, checkId } = task;
    for (;;) {
      const subject = this.subjectOf(projectId, checkId);
      if (subject === null) return { kind: 'cancelled' };
      const { areaId } = subject.check;
      const attempt = await signIn(subject.watched, areaId);
      await this.runNeededSteps(task, subject, attempt, values);
      const currentSubject = (): Subject | null => inArea(areaId, this.subjectOf(projectId, checkId));
      const run = await this.options.recorder.start({ ...task, currentSubject, values, ...(attempt && { signIn: attempt }) }).done;
      if (run.kind === 'cancelled') continue;
      this.scheduleFollowUp(task, run);
      return run;
    }
  }

  /** The steps whose values the check uses, in order; those of its job are run by the job. */
  private async runNeededSteps(
    task: NewTask,
    { watched, check }: Subject,
    signIn: SignInAttempt | undefined,
    values: StepValues,
  ): Promise<void> {
    for (const { id, areaId } of neededSteps(watched, check)) {
      if (task.lease.signal.aborted) return;
      const currentSubject = (): Subject | null => inArea(areaId, this.subjectOf(task.projectId, id));
      const step = { ...task, checkId: id, currentSubject, values, ...(signIn && { signIn }) };
      const run = values.started.get(id) ?? this.options.recorder.fetchStep(step);
      values.started.set(id, run);
      await run;
      if (!values.isKnown(id)) values.started.delete(id);
    }
  }

  private journeyOf(key: string): StepValues {
    let values = this.journeys.get(key);
    if (values === undefined) {
      this.journeys.set(key, (values = new StepValues()));
      setTimeout(() => this.journeys.delete(key), JOB_SIGN_IN_SHARED_MS).unref();
    }
    return values;
  }

  /** An inconclusive sign-in is not shared: the next run tries again. */
  private shareSignIn(key: string, watched: WatchedProject, areaId: string, jobId: string | null): Promise<SignInAttempt | undefined> {
    const known = this.sharedSignIns.get(key);
    if (known !== undefined) return known;
    const attempt = this.trySignIn(watched, areaId, jobId);
    const forget = (): void => {
      if (this.sharedSignIns.get(key) === attempt) this.sharedSignIns.delete(key);
    };
    this.sharedSignIns.set(key, attempt);
    setTimeout(forget, jobId === null ? SIGN_IN_SHARED_MS : JOB_SIGN_IN_SHARED_MS).unref();
    void attempt.then((signIn) => {
      if (signIn?.failure?.kind === 'inconclusive') forget();
    });
    return attempt;
  }

  /** Never rejects: an error is an inconclusive sign-in. */
  private async trySignIn(watched: WatchedProject, areaId: string, jobId: string | null): Promise<SignInAttempt | undefined> {
    const { signIn, onFormFound } = this.options;
    const attempt = await signIn.signIn(watched, areaId, runSource(watched, jobId)).catch(notTried);
    const finding = attempt?.formFinding ?? null;
    // After an error the next sign-in reports the form again.
    if (finding !== null) await onFormFound(watched.project.id, areaId, finding).catch(() => undefined);
    return attempt;
  }

  private scheduleFollowUp({ projectId, checkId, jobId, confirming }: NewTask, run: ExecutedRun): void {
    const { checker, clock } = this.options;
    if (run.kind === 'recorded' && run.needsConfirmation) this.scheduleConfirmation(projectId, checkId, clock.now());
    // A job repeats its runs by itself.
    if ((run.kind === 'inconclusive' || run.kind === 'postponed') && jobId === null) {
      const due = clock.now() + REPEAT_AFTER_MS + (hash32(checkId) % SPREAD_MS);
      checker.scheduleOnce({ kind: confirming ? 'confirm' : 'again', projectId, subjectId: checkId }, due);
    }
  }

  /** Null if the check was deleted or disabled. */
  private subjectOf(projectId: string, checkId: string): Subject | null {
    const watched = this.options.checker.projects.get(projectId);
    const check = watched?.checks.get(checkId);
    return watched === undefined || check?.settings.enabled !== true ? null : { watched, check };
  }
}

const inArea = (areaId: string, subject: Subject | null): Subject | null => (subject?.check.areaId === areaId ? subject : null);

const notTried = (error: unknown): SignInAttempt => ({
  session: new ProbeSession(),
  failure: inconclusive(`the sign-in could not be tried: ${String(error)}`),
  formFinding: null,
});
