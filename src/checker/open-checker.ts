import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import type { Guard } from '../base/guard/guard.ts';
import type { Keyring } from '../base/keyring/keyring.ts';
import type { Leases } from '../base/leases.ts';
import type { Wake } from '../base/wake.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../log/log.ts';
import { ObservationQueue } from '../observations/observation-queue.ts';
import { KeptPages } from '../observations/pages/kept-pages.ts';
import type { RunStore } from '../observations/runs/run-store.ts';
import type { SampleStore } from '../observations/samples/sample-store.ts';
import { type JobRow, jobView } from '../projections/job/job.view.ts';
import type { Views } from '../projections/kit/views.ts';
import { verdictView } from '../projections/verdict/verdict.view.ts';
import { ownContext } from '../commands/context.ts';
import { NoteFoundForm } from '../commands/area/note-found-form.command.ts';
import { ChangeCheck } from '../commands/check/change-check.command.ts';
import { CheckTurns, CONFIRM } from './check-turns.ts';
import { Checker, type CheckerOptions } from './checker.ts';
import { FormReader } from './forms/form-reader.ts';
import { FormSignIn } from './forms/sign-in.ts';
import { JobRunner } from './jobs/job-runner.ts';
import { Judge } from './judging/judge.ts';
import { Prober } from './probe/prober.ts';
import { CheckRunner } from './runs/check-runner.ts';
import { HostGate } from './runs/host-gate.ts';
import { RunRecorder } from './runs/run-recorder.ts';
import { SigningIn } from './runs/signing-in.ts';
import { AtOnce } from './schedule/at-once.ts';
import { Locks } from './schedule/locks.ts';
import { AREA, turnsOfAreas } from './schedule/turns-of-areas.ts';
import { VerdictKeeper } from './verdicts/verdict-keeper.ts';
import { openWatches } from './watches/open-watches.ts';

export interface CheckerNeeds extends Pick<CheckerOptions, 'locations' | 'peers' | 'onLate' | 'report'> {
  readonly pool: pg.Pool;
  readonly runs: RunStore;
  readonly samples: SampleStore;
  readonly views: Views;
  readonly log: Log;
  readonly leases: Leases;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly keyring: Keyring;
  readonly commands: CommandBus;
  readonly onOwnTrouble: (reason: string) => void;
}

const FETCHES_AT_ONCE = 100;
const FLUSH_MS = 1_000;

export interface OpenChecker {
  readonly checker: Checker;
  readonly prober: Prober;
  readonly judge: Judge;
  close(): Promise<void>;
}

/** The checker with all its parts. */
export function openChecker(needs: CheckerNeeds): OpenChecker {
  const { pool, runs, views, wake, clock, guard, keyring, commands } = needs;
  const prober = new Prober({ guard });
  const judge = new Judge();
  const watches = openWatches({ ...needs, prober });
  const queue = new ObservationQueue(runs, { everyMs: FLUSH_MS });
  const verdicts = new VerdictKeeper({ commands, runs, clock });
  const forms = new FormReader();
  const actor = { kind: 'checker', id: 'checker' } as const;
  const recorder = new RunRecorder({
    runner: new CheckRunner({ prober, judge, keyring, clock }),
    queue,
    verdicts,
    pages: new KeptPages(pool),
    gate: new HostGate(),
    locks: new Locks(),
    atOnce: new AtOnce(FETCHES_AT_ONCE),
    onOwnTrouble: needs.onOwnTrouble,
    onTitle: async (projectId, checkId, name) => {
      await commands.execute(new ChangeCheck(ownContext(actor, clock.now()), projectId, checkId, { name }));
    },
  });
  const signingIn = new SigningIn(new FormSignIn(prober, forms), keyring);
  const turns = new CheckTurns(recorder, signingIn, clock, async (projectId, areaId, checksum) => {
    await commands.execute(new NoteFoundForm(ownContext(actor, clock.now()), projectId, areaId, checksum));
  });
  const jobs = new JobRunner({
    commands,
    runs,
    clock,
    wake,
    runCheck: (plan, checkId, job, lease) => turns.ofJob(checker, plan, checkId, job, lease),
  });
  const startJob = (job: JobRow): void => {
    const { projectId } = job.request;
    const lease = checker.leaseOf(projectId);
    const plan = checker.plans.plan.get(projectId);
    if (lease !== undefined && plan !== undefined && job.end === null) jobs.start(job, plan, lease);
  };
  const checker: Checker = new Checker({
    ...needs,
    turnsOf: [turnsOfAreas, ...watches.turnsOf],
    carry: (self) => ({ [AREA]: turns.area(self), [CONFIRM]: turns.confirm(self), ...watches.carry(self) }),
    onTaken: (self, projectIds) => {
      watches.onTaken(self, projectIds);
      for (const projectId of projectIds) verdicts.forget(projectId, self.plans.plan.get(projectId)?.checks.keys() ?? []);
      void resume(self, projectIds).catch((error: unknown) => {
        needs.report(error, 'taking over a shard');
      });
    },
    onEvent: (self, event) => {
      watches.onEvent(self, event);
      const row = jobView.evolve(null, event);
      if (row !== null) startJob(row);
    },
  });
  /** Jobs that a dead checker left open, and failures that wait to be confirmed. */
  const resume = async (self: Checker, projectIds: readonly string[]): Promise<void> => {
    if (projectIds.length === 0) return;
    for (const { row } of await views.list(jobView, { where: { open: { in: projectIds } } })) startJob(row);
    for (const { row } of await views.list(verdictView, { where: { suspected: { in: projectIds } } }))
      turns.confirmSoon(self, row.projectId, row.checkId, Date.parse(row.suspectedSince ?? row.since));
  };
  return {
    checker,
    prober,
    judge,
    close: async () => {
      await checker.close();
      await jobs.settle();
      await watches.close();
      await queue.drain().catch(() => undefined);
      await Promise.all([judge.close(), forms.close()]);
    },
  };
}
