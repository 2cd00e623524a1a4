import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { NoteFoundForm } from '../../projects/areas/area.commands.ts';
import { NameCheck } from '../../projects/checks/check.commands.ts';
import { systemContext } from '../../platform/commands/context.ts';
import type { Commands } from '../../platform/commands/command-of.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ConcurrencyLimit, LaneFigures } from '../../kernel/concurrency-limit.ts';
import { noTracer, type Tracer } from '../../kernel/tracer.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { Log } from '../../platform/log/log.ts';
import { ObservationQueue } from '../../platform/observations/observation-queue.ts';
import type { PageBodies } from '../../platform/observations/pages/page-bodies.ts';
import { KeptAnswers } from '../../platform/observations/pages/kept-answers.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import { type JobRow, jobView } from '../jobs/job.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { CheckerContext, CheckerPart } from '../checker.ts';
import type { FlushFailures } from '../flush-failures.ts';
import type { RunOutcome } from '../checker-meter.ts';
import type { EvidenceKeeper } from '../evidence/keep-evidence.ts';
import { FormReader } from '../forms/form-reader.ts';
import type { Judge } from '../judging/judge.ts';
import type { ConclusiveOutcome } from '../probe/outcome.ts';
import type { Prober } from '../probe/prober.ts';
import { projectOfScope } from '../projects/watched-projects.ts';
import { SharedSignIn } from '../runs/area-sign-in.ts';
import { CheckRunner } from '../runs/check-runner.ts';
import { HostGate } from '../runs/host-gate.ts';
import { RunRecorder } from '../runs/run-recorder.ts';
import { RunsWithoutVerdict } from '../verdicts/runs-without-verdict.ts';
import { VerdictKeeper } from '../verdicts/verdict-keeper.ts';
import { areaTurns } from './area-turns.ts';
import { CheckTurns, type CheckTurnsOptions } from './check-turns.ts';
import { JobRunner } from './job-runner.ts';
import { ShardHandover, type ShardHandoverOptions } from './shard-handover.ts';

const FLUSH_MS = 1_000;
const actor = { kind: 'checker', id: 'checker' } as const;

export interface CheckServices {
  readonly checker: CheckerContext;
  readonly pool: pg.Pool;
  readonly pageBodies?: PageBodies | null;
  readonly evidence: Pick<EvidenceKeeper, 'begin'>;
  readonly runs: RunStore;
  readonly views: Views;
  readonly log: Log;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly commands: Commands;
  readonly prober: Prober;
  /** Closed with the checks; the watches have it, too. */
  readonly judge: Judge;
  readonly fetchLimit: ConcurrencyLimit;
  readonly onInconclusive: (reason: string) => void;
  readonly onFlushed?: FlushFailures['onFlushed'];
  readonly tracer?: Tracer;
  readonly onRunEnded: (outcome: RunOutcome) => void;
  readonly onAccepted?: (projectId: string, outcome: ConclusiveOutcome) => Promise<void>;
  readonly report: (error: unknown, activity: string) => void;
}

export interface Checks extends CheckerPart {
  /** The queues of its worker threads. */
  readonly queues: () => Readonly<Record<string, LaneFigures>>;
}

/** The checks of all projects of a checker: on schedule, to confirm a failure, and on demand. */
export function openChecks(services: CheckServices): Checks {
  const { pool, runs, prober, judge, keyring, clock, commands, fetchLimit, onInconclusive, onRunEnded, tracer = noTracer } = services;
  const forms = new FormReader();
  const queue = new ObservationQueue(runs, {
    flushMs: FLUSH_MS,
    onFlushed: (error) => services.onFlushed?.('runs', error),
  });
  const verdicts = new VerdictKeeper({ commands, runs, clock, sleep });
  const gate = new HostGate(sleep);
  const onNotKept = (error: unknown): void => {
    services.report(error, 'keeping evidence');
  };
  const recorder = new RunRecorder({
    runner: new CheckRunner({
      prober,
      judge,
      keyring,
      clock,
      haveEnded: ({ projectId, id }, requested) => runs.haveEnded(projectId, requested, id),
    }),
    queue,
    verdicts,
    fetchLimit,
    gate,
    onInconclusive,
    onRunEnded,
    ...(services.onAccepted !== undefined && { onAccepted: services.onAccepted }),
    sleep,
    tracer,
    canDecide: () => services.checker.canDecide(),
    answers: new KeptAnswers(pool, services.pageBodies),
    evidence: services.evidence,
    onNotKept,
    mutex: new KeyedMutex(),
    onTitle: async (projectId, checkId, title) => {
      await commands.execute(new NameCheck(systemContext(actor, clock.now()), { projectId, checkId, title }));
    },
  });
  const checks = checksOver({
    ...services,
    verdicts,
    recorder,
    sleep,
    signIn: new SharedSignIn({ prober, keyring, forms, gate, fetchLimit }),
    onFormFound: async (projectId, areaId, finding) => {
      await commands.execute(new NoteFoundForm(systemContext(actor, clock.now()), { projectId, areaId, form: finding }));
    },
  });
  return {
    ...checks,
    flush: () => queue.drain(),
    queues: () => ({ ...judge.queues, forms: forms.queue }),
    close: async () => {
      await checks.close();
      await queue.drain().catch(() => undefined);
      await Promise.all([judge.close(), forms.close()]);
    },
  };
}

export interface CheckParts
  extends CheckTurnsOptions, Omit<ShardHandoverOptions, 'runs' | 'views' | 'runsWithoutVerdict' | 'startJob' | 'scheduleConfirmation'> {
  readonly commands: Commands;
  readonly verdicts: VerdictKeeper;
  readonly runs: Pick<RunStore, 'latest' | 'ofJob'>;
  readonly views: Pick<Views, 'list' | 'many' | 'position'>;
  readonly wake: Pick<Wake, 'ring'>;
}

/** The same over any recorder of runs. */
export function checksOver(parts: CheckParts): CheckerPart {
  const { checker, recorder, verdicts, views } = parts;
  const turns = new CheckTurns(parts);
  const jobs = new JobRunner(parts);
  const startJob = (job: JobRow): void => {
    const { projectId } = job.request;
    const lease = checker.leaseOf(projectId);
    if (lease === undefined || checker.projects.get(projectId) === undefined || job.end !== null) return;
    jobs.start(job, lease, (checkId, jobLease) => turns.runForJob(checkId, job, jobLease));
  };
  const runsWithoutVerdict = new RunsWithoutVerdict({
    views,
    verdicts,
    runExclusive: (checkId, work) => recorder.runExclusive(checkId, work),
  });
  const handover = new ShardHandover({
    ...parts,
    runsWithoutVerdict,
    startJob,
    scheduleConfirmation: (projectId, checkId, since) => {
      turns.scheduleConfirmation(projectId, checkId, since);
    },
  });
  return {
    recurringTurns: [areaTurns],
    handlers: { area: turns.runArea, confirm: turns.runCheck, again: turns.runCheck },
    onShardTaken: (projectIds) => {
      verdicts.beginProjects(projectIds);
      void handover.resume(projectIds);
    },
    onEvent: (event) => {
      const projectId = projectOfScope(event.scope);
      const deletedCheck = event.type === 'CheckDeleted' ? checkView.key(event) : null;
      if (deletedCheck !== null) void recorder.forgetCheck(projectId, deletedCheck);
      if (event.type === 'ProjectDeleted') verdicts.forgetProject(projectId);
      if (event.type === 'JobEnded') jobs.cancel(jobView.key(event) ?? '');
      const job = jobView.evolve(null, event);
      if (job !== null) startJob(job);
    },
    flush: () => Promise.resolve(),
    close: () => jobs.waitUntilIdle(),
  };
}
