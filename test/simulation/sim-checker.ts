import type { CommandBus } from '@nestjs/cqrs';
import { Checker } from '../../src/checker/checker.ts';
import { AGAIN, CheckTurns, CONFIRM } from '../../src/checker/check-turns.ts';
import { JobRunner } from '../../src/checker/jobs/job-runner.ts';
import { HostGate } from '../../src/checker/runs/host-gate.ts';
import { RunRecorder } from '../../src/checker/runs/run-recorder.ts';
import { ConcurrencyLimit } from '../../src/kernel/concurrency-limit.ts';
import { KeyedMutex } from '../../src/kernel/keyed-mutex.ts';
import { AREA, turnsOfAreas } from '../../src/checker/schedule/turns-of-areas.ts';
import { offBy } from '../../src/checker/shards/peers.ts';
import { TakeOver } from '../../src/checker/take-over.ts';
import { Undecided } from '../../src/checker/verdicts/undecided.ts';
import { VerdictKeeper } from '../../src/checker/verdicts/verdict-keeper.ts';
import { type Watches, watchesOver } from '../../src/checker/watches/open-watches.ts';
import {
  RecordCertificateLook,
  RecordCertificateLookHandler,
  RecordProbes,
  RecordProbesHandler,
  RecordRedirect,
  RecordRedirectHandler,
  RecordRun,
  RecordRunHandler,
} from '../../src/commands/observation.commands.ts';
import { CommandRunner } from '../../src/commands/command-runner.ts';
import { EndJob, EndJobHandler } from '../../src/commands/job.commands.ts';
import type { EventStore } from '../../src/event-store/event-store.ts';
import type { Log } from '../../src/log/log.ts';
import { type JobRow, jobView } from '../../src/projections/read-models/job/job.view.ts';
import type { Claims } from '../../src/persistence/claims.ts';
import type { FencingToken } from '../../src/observations/packs/pack-writer.ts';
import type { InspectionStore } from '../../src/observations/inspections/inspection-store.ts';
import type { MadeRun } from '../../src/observations/runs/run-store.ts';
import type { Sample } from '../../src/observations/samples/sample.ts';
import type { MutualExclusion } from './invariants/mutual-exclusion.ts';
import type { SimLeaseTable } from './sim-leases.ts';
import { proberOn } from './sim-prober.ts';
import type { SimSites } from './sim-sites.ts';
import type { SimRuns, SimSamples } from './sim-stores.ts';
import type { SimViews } from './sim-views.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

const LOOK_MS = 60_000;
export const SHARDS_MS = 60_000;

/** What the checkers of all machines share. */
export interface SharedWorld {
  readonly time: VirtualTime;
  readonly witness: {
    readonly begun: (machine: Machine, key: string, due: number, lateMs: number) => void;
    readonly broken: (what: string) => void;
  };
  readonly claims: Claims;
  readonly leases: SimLeaseTable;
  readonly runs: SimRuns;
  readonly samples: SimSamples;
  readonly views: SimViews;
  readonly sites: SimSites;
  readonly oneAtATime: MutualExclusion;
  readonly instances: readonly { readonly machine: Machine }[];
  acceptRun(machine: Machine, fence: FencingToken, projectId: string, item: MadeRun, urgent: boolean): Promise<boolean>;
  acceptSample(machine: Machine, fence: FencingToken, projectId: string, sample: Sample): Promise<boolean>;
  holds(machine: Machine, fence: FencingToken): boolean;
  looksOf(machine: Machine): Pick<InspectionStore, 'accept' | 'latest'>;
}

/** The checker of one machine: all of it is the real one but the sites, the stores and the time. */
export function checkerOn(machine: Machine, world: SharedWorld, store: EventStore, log: Log): Checker {
  const { time, witness, runs, views } = world;
  const clock = { now: machine.now };
  const report = reportOf(machine, world);
  const sleep = (milliseconds: number): Promise<void> => machine.sleep(milliseconds);
  const commands = commandsOf(machine, store, world);
  const verdicts = new VerdictKeeper({ commands, runs, clock });
  const recorder = new RunRecorder({
    runner: world.sites.runnerOn(machine),
    queue: { add: (...given) => world.acceptRun(machine, ...given) },
    ...{
      verdicts,
      gate: new HostGate(sleep),
      locks: new KeyedMutex(),
      atOnce: new ConcurrencyLimit(100, { maxQueue: 2_000, monotonicNow: () => time.now }),
    },
    answers: { keep: () => Promise.resolve() },
    onOwnTrouble: () => undefined,
    onRan: () => undefined,
    onTitle: () => Promise.resolve(),
  });
  const turns = new CheckTurns(recorder, { begin: () => Promise.resolve(undefined) }, clock, () => Promise.resolve());
  const jobs = new JobRunner({ commands, runs, clock, wake: { ring: () => undefined }, sleep });
  const startJob = (checker: Checker, job: JobRow): void => {
    const lease = checker.leaseOf(job.request.projectId);
    const plan = checker.plans.plan.get(job.request.projectId);
    if (lease === undefined || plan === undefined || job.end !== null) return;
    jobs.start(job, lease, (checkId, own) => turns.ofJob(checker, checkId, job, own));
  };
  const watches = watchesOn(machine, world, commands);
  const undecided = new Undecided({ views, verdicts, alone: (checkId, work) => recorder.alone(checkId, work) });
  const takeOver = new TakeOver({
    ...{ runs, views, log, clock, undecided, sleep, report, startJob },
    confirmSoon: (checker, projectId, checkId, since) => {
      turns.confirmSoon(checker, projectId, checkId, since);
    },
  });
  return new Checker({
    ...{ views, log, clock, report, locations: ['eu'], turnsOf: [turnsOfAreas, ...watches.turnsOf] },
    leases: world.leases.of(machine) as ConstructorParameters<typeof Checker>[0]['leases'],
    peers: () =>
      Promise.resolve(
        isRight(machine) ? world.instances.filter((one) => one.machine.reachesDatabase && isRight(one.machine)).length : null,
      ),
    carry: (checker) => ({
      [AREA]: turns.area(checker),
      [CONFIRM]: turns.single(checker, true),
      [AGAIN]: turns.single(checker, false),
      ...watches.carry(checker),
    }),
    onTaken: (checker, projectIds) => {
      for (const projectId of projectIds) verdicts.forget(projectId);
      watches.onTaken(checker, projectIds);
      void takeOver.goOn(checker, projectIds);
    },
    onEvent: (checker, event) => {
      watches.onEvent(checker, event);
      if (event.type === 'JobEnded') jobs.ended(jobView.key(event) ?? '');
      const row = jobView.evolve(null, event);
      if (row !== null) startJob(checker, row);
    },
    onLate: ({ key, due }, lateMs) => {
      witness.begun(machine, key, due, lateMs);
    },
    time: {
      steady: () => time.now,
      after: (milliseconds, work) => machine.after(milliseconds, work),
      sleep: (milliseconds, signal) => machine.sleep(milliseconds, signal),
      lookMs: LOOK_MS,
      shardsMs: SHARDS_MS,
    },
  });
}

/** The clock of the database is true; that of the machine is not so wrong that nothing it measures would be taken. */
export const isRight = ({ offset }: Machine): boolean => offBy(0, offset, offset) === null;

function watchesOn(machine: Machine, world: SharedWorld, commands: CommandBus): Watches {
  const { samples, views } = world;
  return watchesOver({
    ...{ samples, views, commands, clock: { now: machine.now } },
    prober: proberOn(machine, world.sites),
    queue: { add: (fence, projectId, sample) => world.acceptSample(machine, fence, projectId, sample) },
    looks: world.looksOf(machine),
    onOwnTrouble: () => undefined,
    report: reportOf(machine, world),
    sleep: (milliseconds) => machine.sleep(milliseconds),
  });
}

const reportOf =
  (machine: Machine, { witness }: Pick<SharedWorld, 'witness'>) =>
  (error: unknown): void => {
    if (machine.reachesDatabase && !/away|gone/.test(String(error))) witness.broken(`${machine.name}: ${String(error)}`);
  };

/** Who carries out which command; everything is written through the store as the machine reaches it. */
function commandsOf(machine: Machine, store: EventStore, { claims, oneAtATime }: Pick<SharedWorld, 'claims' | 'oneAtATime'>): CommandBus {
  const runner = new CommandRunner(store);
  const runs = new RecordRunHandler(runner);
  const probes = new RecordProbesHandler(runner);
  const ends = new EndJobHandler(runner, claims);
  const certificates = new RecordCertificateLookHandler(runner);
  const redirects = new RecordRedirectHandler(runner);
  const execute = (command: unknown): Promise<unknown> => {
    if (command instanceof RecordRun)
      return runs.execute(command).finally(() => {
        oneAtATime.over(machine, command.origin.checkId);
      });
    if (command instanceof RecordCertificateLook) return certificates.execute(command);
    if (command instanceof RecordRedirect) return redirects.execute(command);
    if (command instanceof RecordProbes) return probes.execute(command);
    if (command instanceof EndJob) return ends.execute(command);
    return Promise.reject(new Error('nobody carries this out'));
  };
  return { execute } as unknown as CommandBus;
}
