import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import type { Keyring } from '../security/keyring/keyring.ts';
import type { Wake } from '../persistence/wake.ts';
import { NoteFoundForm } from '../commands/area.commands.ts';
import { NameCheck } from '../commands/check.commands.ts';
import { systemContext } from '../commands/context.ts';
import type { Clock } from '../kernel/clock.ts';
import type { LogEvent } from '../kernel/event.ts';
import type { Log } from '../log/log.ts';
import { ObservationQueue } from '../observations/observation-queue.ts';
import { KeptAnswers } from '../observations/pages/kept-answers.ts';
import type { MadeRun, RunStore } from '../observations/runs/run-store.ts';
import { checkView } from '../projections/read-models/check/check.view.ts';
import { type JobRow, jobView } from '../projections/read-models/job/job.view.ts';
import type { Views } from '../projections/views/views.ts';
import { AGAIN, CheckTurns, CONFIRM } from './check-turns.ts';
import type { RunOutcome } from './checker-meter.ts';
import type { Carry, Checker } from './checker.ts';
import { FormReader } from './forms/form-reader.ts';
import { JobRunner } from './jobs/job-runner.ts';
import { Judge } from './judging/judge.ts';
import type { Prober } from './probe/prober.ts';
import { CheckRunner } from './runs/check-runner.ts';
import { HostGate } from './runs/host-gate.ts';
import { RunRecorder } from './runs/run-recorder.ts';
import { SigningIn } from './runs/signing-in.ts';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';
import type { QueueGauge } from './checker-meter.ts';
import type { TurnsOf } from './schedule/conductor.ts';
import { KeyedMutex } from '../kernel/keyed-mutex.ts';
import { AREA, turnsOfAreas } from './schedule/turns-of-areas.ts';
import { TakeOver } from './take-over.ts';
import { Undecided } from './verdicts/undecided.ts';
import { VerdictKeeper } from './verdicts/verdict-keeper.ts';

export interface CheckNeeds {
  readonly pool: pg.Pool;
  readonly runs: RunStore;
  readonly views: Views;
  readonly log: Log;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly commands: CommandBus;
  readonly prober: Prober;
  readonly onOwnTrouble: (reason: string) => void;
  readonly onRan: (outcome: RunOutcome) => void;
  readonly report: (error: unknown, what: string) => void;
}

export interface Checks {
  readonly queues: Readonly<Record<string, QueueGauge>>;
  /** How long the first run has waited for its turn to fetch. */
  queuedMs(): number;
  readonly turnsOf: readonly TurnsOf[];
  carry(checker: Checker): Readonly<Record<string, Carry>>;
  onTaken(checker: Checker, projectIds: readonly string[]): void;
  onEvent(checker: Checker, event: LogEvent): void;
  close(): Promise<void>;
}

const FETCHES_AT_ONCE = 100;
/** At the slowest a minute of them, with the usual timeout; who comes then is put off by as much. */
const FETCHES_WAITING = 2_000;
const FLUSH_MS = 1_000;
const actor = { kind: 'checker', id: 'checker' } as const;

/** The checks of every project that this checker holds: on schedule, to confirm, and when somebody starts them. */
export function openChecks(needs: CheckNeeds): Checks {
  const { runs, views, log, wake, clock, commands, report } = needs;
  const judge = new Judge();
  const forms = new FormReader();
  const queue = new ObservationQueue(runs, { flushMs: FLUSH_MS });
  const verdicts = new VerdictKeeper({ commands, runs, clock });
  const atOnce = new ConcurrencyLimit(FETCHES_AT_ONCE, { maxQueue: FETCHES_WAITING });
  const gate = new HostGate(sleep);
  const recorder = recorderWith(needs, judge, queue, verdicts, { atOnce, gate });
  const turns = turnsWith(needs, recorder, new SigningIn({ ...needs, forms, gate, atOnce }));
  const jobs = new JobRunner({ commands, runs, clock, wake, sleep });
  const startJob = (checker: Checker, job: JobRow): void => {
    const { projectId } = job.request;
    const lease = checker.leaseOf(projectId);
    const plan = checker.plans.plan.get(projectId);
    if (lease === undefined || plan === undefined || job.end !== null) return;
    jobs.start(job, lease, (checkId, own) => turns.ofJob(checker, checkId, job, own));
  };
  const undecided = new Undecided({ views, verdicts, alone: (checkId, work) => recorder.alone(checkId, work) });
  const takeOver = new TakeOver({
    ...{ runs, views, log, clock, undecided, startJob, sleep, report },
    confirmSoon: (checker, projectId, checkId, since) => {
      turns.confirmSoon(checker, projectId, checkId, since);
    },
  });
  return {
    queues: { fetches: atOnce, judging: judge, forms },
    queuedMs: () => atOnce.queuedMs,
    turnsOf: [turnsOfAreas],
    carry: (checker) => ({ [AREA]: turns.area(checker), [CONFIRM]: turns.single(checker, true), [AGAIN]: turns.single(checker, false) }),
    onTaken: (checker, projectIds) => {
      for (const projectId of projectIds) verdicts.forget(projectId);
      void takeOver.goOn(checker, projectIds);
    },
    onEvent: (checker, event) => {
      const projectId = event.scope.slice('project-'.length);
      const gone = event.type === 'CheckDeleted' ? checkView.key(event) : null;
      if (gone !== null) void recorder.dismiss(projectId, gone);
      if (event.type === 'ProjectDeleted') verdicts.forget(projectId);
      if (event.type === 'JobEnded') jobs.ended(jobView.key(event) ?? '');
      const row = jobView.evolve(null, event);
      if (row !== null) startJob(checker, row);
    },
    close: async () => {
      await jobs.settle();
      await queue.drain().catch(() => undefined);
      await Promise.all([judge.close(), forms.close()]);
    },
  };
}

function recorderWith(
  needs: CheckNeeds,
  judge: Judge,
  queue: ObservationQueue<MadeRun>,
  verdicts: VerdictKeeper,
  { atOnce, gate }: { readonly atOnce: ConcurrencyLimit; readonly gate: HostGate },
): RunRecorder {
  const { pool, prober, keyring, clock, commands, onOwnTrouble, onRan } = needs;
  return new RunRecorder({
    runner: new CheckRunner({ prober, judge, keyring, clock }),
    ...{ queue, verdicts, atOnce, gate, onOwnTrouble, onRan },
    answers: new KeptAnswers(pool),
    locks: new KeyedMutex(),
    onTitle: async (projectId, checkId, title) => {
      await commands.execute(new NameCheck(systemContext(actor, clock.now()), projectId, checkId, title));
    },
  });
}

function turnsWith({ clock, commands }: CheckNeeds, recorder: RunRecorder, signingIn: SigningIn): CheckTurns {
  return new CheckTurns(recorder, signingIn, clock, async (projectId, areaId, form) => {
    await commands.execute(new NoteFoundForm(systemContext(actor, clock.now()), projectId, areaId, form));
  });
}
