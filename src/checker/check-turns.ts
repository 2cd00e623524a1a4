import type { Lease } from '../persistence/leases.ts';
import type { Clock } from '../kernel/clock.ts';
import { hash32 } from '../kernel/hash.ts';
import type { JobRow } from '../projections/read-models/job/job.view.ts';
import type { Carry, Checker } from './checker.ts';
import { enabledChecks, type ProjectPlan } from './plan/plan.ts';
import { ProbeSession } from './probe/probe-session.ts';
import type { Errand, Ran, RunRecorder, Subject } from './runs/run-recorder.ts';
import type { SignedIn, SigningIn } from './runs/signing-in.ts';

export const CONFIRM = 'confirm';
/** A run that was missed, or that trouble of our own spoilt. */
export const AGAIN = 'again';

/** A second look 10 to 30 seconds after the first (docs/spec/decisions.md#J11), spread so that the checks of a broken site do not come all at once. */
const EARLIEST_MS = 10_000;
const SPREAD_MS = 15_000;
/** After trouble of our own, spread as well: what was put off together would be again. */
const AGAIN_MS = 30_000;
/** Longer than a job takes to begin all of its checks. */
const FORGET_MS = 120_000;
/** The confirming runs of a group come within as much: a sign-in for each would have some sites lock the account. */
const SHARED_MS = 30_000;

const given = (signedIn: SignedIn | undefined): { readonly signedIn?: SignedIn } => (signedIn === undefined ? {} : { signedIn });

const notTried = (error: unknown): SignedIn => ({
  session: new ProbeSession(),
  trouble: { kind: 'inconclusive', reason: `the sign-in could not be tried: ${String(error)}` },
  changedForm: null,
});

/** The runs of checks: of a group when its turn comes, of one check to confirm, and of a job that somebody started. */
export class CheckTurns {
  private readonly shared = new Map<string, Promise<SignedIn | undefined>>();

  constructor(
    private readonly recorder: RunRecorder,
    private readonly signingIn: Pick<SigningIn, 'begin'>,
    private readonly clock: Clock,
    private readonly onFormChanged: (projectId: string, areaId: string, form: NonNullable<SignedIn['changedForm']>) => Promise<void>,
  ) {}

  /** All enabled checks of the group, one after the other. */
  area(checker: Checker): Carry {
    return async ({ projectId, id }, lease) => {
      const begun = checker.plans.plan.get(projectId);
      if (begun === undefined) return;
      const signedIn = await this.signIn(begun, id);
      const runs = [];
      for (const { id: checkId } of enabledChecks(begun, id)) {
        if (lease.signal.aborted) break;
        // A turn of many checks takes its time: meanwhile they are changed, moved, switched off and deleted.
        const now = (): Subject | null => inGroup(id, subjectOf(checker, projectId, checkId));
        if (now() === null) continue;
        const errand = { projectId, checkId, now, lease, jobId: null, chain: null, confirming: false };
        const { fetched, done } = this.recorder.begin({ ...errand, ...given(signedIn) });
        runs.push(done.then((ran) => this.after(checker, errand, ran)));
        await fetched;
      }
      await Promise.all(runs);
    };
  }

  /** One check by itself, unless it was deleted or switched off since that was planned. */
  single(checker: Checker, confirming: boolean): Carry {
    return async ({ projectId, id }, lease) => {
      const errand = { projectId, checkId: id, lease, jobId: null, chain: null, confirming };
      const kind = confirming ? CONFIRM : AGAIN;
      await this.one(checker, errand, (plan, areaId) => this.signInOnce(`${kind} ${areaId}`, plan, areaId, SHARED_MS));
    };
  }

  ofJob(checker: Checker, checkId: string, { request, chain }: JobRow, lease: Lease): Promise<Ran> {
    const { jobId, projectId } = request;
    const errand = { projectId, checkId, lease, jobId, chain, confirming: false };
    return this.one(checker, errand, (plan, areaId) => this.signInOnce(`${jobId} ${areaId}`, plan, areaId, FORGET_MS));
  }

  confirmSoon(checker: Checker, projectId: string, checkId: string, since: number): void {
    checker.once(CONFIRM, projectId, checkId, since + EARLIEST_MS + (hash32(checkId) % SPREAD_MS));
  }

  /** In the group where it stands when its turn comes: who was moved meanwhile signs in anew. */
  private async one(
    checker: Checker,
    errand: Omit<Errand, 'now'>,
    signIn: (plan: ProjectPlan, areaId: string) => Promise<SignedIn | undefined>,
  ): Promise<Ran> {
    const { projectId, checkId } = errand;
    for (;;) {
      const subject = subjectOf(checker, projectId, checkId);
      if (subject === null) return { kind: 'gone' };
      const { areaId } = subject.check;
      const signedIn = await signIn(subject.plan, areaId);
      const now = (): Subject | null => inGroup(areaId, subjectOf(checker, projectId, checkId));
      const ran = await this.recorder.begin({ ...errand, now, ...given(signedIn) }).done;
      if (ran.kind === 'gone') continue;
      this.after(checker, errand, ran);
      return ran;
    }
  }

  /** Runs of one group that belong together share a sign-in; one that could not be tried is tried again by the next. */
  private signInOnce(key: string, plan: ProjectPlan, areaId: string, forMs: number): Promise<SignedIn | undefined> {
    const known = this.shared.get(key);
    if (known !== undefined) return known;
    const signing = this.signIn(plan, areaId);
    const forget = (): void => {
      if (this.shared.get(key) === signing) this.shared.delete(key);
    };
    this.shared.set(key, signing);
    setTimeout(forget, forMs).unref();
    void signing.then((signedIn) => {
      if (signedIn?.trouble?.kind === 'inconclusive') forget();
    });
    return signing;
  }

  /** Never rejects: what could not be tried is trouble of our own, and puts the runs off. */
  private async signIn(plan: ProjectPlan, areaId: string): Promise<SignedIn | undefined> {
    const signedIn = await this.signingIn.begin(plan, areaId).catch(notTried);
    const form = signedIn?.changedForm ?? null;
    // Where that cannot be written now, the next run finds it again.
    if (form !== null) await this.onFormChanged(plan.project.id, areaId, form).catch(() => undefined);
    return signedIn;
  }

  private after(checker: Checker, { projectId, checkId, jobId, confirming }: Omit<Errand, 'now'>, ran: Ran): void {
    if (ran.kind === 'recorded' && ran.suspect) this.confirmSoon(checker, projectId, checkId, this.clock.now());
    // What a job could not do it tries again by itself.
    if (ran.kind === 'inconclusive' && jobId === null)
      checker.once(confirming ? CONFIRM : AGAIN, projectId, checkId, this.clock.now() + AGAIN_MS + (hash32(checkId) % SPREAD_MS));
  }
}

/** Null: it was deleted, or switched off. */
function subjectOf({ plans }: Checker, projectId: string, checkId: string): Subject | null {
  const plan = plans.plan.get(projectId);
  const check = plan?.checks.get(checkId);
  return plan === undefined || check?.settings.enabled !== true ? null : { plan, check };
}

/** Null: it was moved to another one. */
const inGroup = (areaId: string, subject: Subject | null): Subject | null => (subject?.check.areaId === areaId ? subject : null);
