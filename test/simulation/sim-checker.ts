import type { CommandBus } from '@nestjs/cqrs';
import { Checker, type CheckerPart } from '../../src/checker/checker.ts';
import { readHomepage } from '../../src/checker/page/homepage.ts';
import { ReadsBehind } from '../../src/platform/read-models/engine/read-your-writes.ts';
import { checksOver } from '../../src/checker/checks/open-checks.ts';
import { HostGate } from '../../src/checker/runs/host-gate.ts';
import { RunRecorder } from '../../src/checker/runs/run-recorder.ts';
import { openLimits } from '../../src/checker/limits.ts';
import { SHARDS_MS } from './time-limits.ts';
import { KeyedMutex } from '../../src/kernel/keyed-mutex.ts';
import { turnId } from '../../src/checker/schedule/turn.ts';
import { clockErrorMs } from '../../src/checker/shards/checker-presence.ts';
import { VerdictKeeper } from '../../src/checker/verdicts/verdict-keeper.ts';
import { type WatchParts, watchesOver } from '../../src/watches/turns/open-watches.ts';
import {
  RecordCertificateLook,
  RecordCertificateLookHandler,
  RecordProbes,
  RecordProbesHandler,
  RecordRedirect,
  RecordRedirectHandler,
} from '../../src/watches/observation.commands.ts';
import { RecordRun, RecordRunHandler } from '../../src/checker/verdicts/verdict.commands.ts';
import { CommandRunner } from '../../src/platform/commands/command-runner.ts';
import { EndJob, EndJobHandler } from '../../src/checker/jobs/job.commands.ts';
import type { EventStore } from '../../src/platform/event-store/event-store.ts';
import type { Log } from '../../src/platform/log/log.ts';
import type { Claims } from '../../src/platform/postgres/claims.ts';
import type { FencingToken } from '../../src/platform/observations/fences.ts';
import type { InspectionStore } from '../../src/platform/observations/inspections/inspection-store.ts';
import type { MadeRun } from '../../src/platform/observations/runs/run-store.ts';
import type { Sample } from '../../src/platform/observations/samples/sample.ts';
import type { WorkSource } from '../../src/kernel/concurrency-limit.ts';
import { noEvidence } from '../support/no-evidence.ts';
import type { FairTurns } from './invariants/fair-turns.ts';
import type { MutualExclusion } from './invariants/mutual-exclusion.ts';
import type { SimFences } from './sim-fences.ts';
import type { SimLeaseTable } from './sim-leases.ts';
import { proberOn } from './sim-prober.ts';
import type { SimSites } from './sim-sites.ts';
import type { SimRuns, SimSamples } from './sim-stores.ts';
import type { SimViews } from './sim-views.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

/** Small, so that a greedy account comes up against them. */
const LIMITS = { checkerFetches: 24, checkerProbes: 100, accountPercent: 50 };
const MAX_WAIT_MS = 60_000;

/** The shared part of the simulated world. */
export interface SharedWorld {
  readonly time: VirtualTime;
  readonly witness: {
    readonly begun: (machine: Machine, key: string, due: number, lateMs: number) => void;
    readonly broken: (what: string) => void;
  };
  readonly claims: Claims;
  readonly leases: SimLeaseTable;
  readonly fences: SimFences;
  readonly runs: SimRuns;
  readonly samples: SimSamples;
  readonly views: SimViews;
  readonly sites: SimSites;
  readonly oneAtATime: MutualExclusion;
  readonly fairTurns: FairTurns;
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
  const verdicts = new VerdictKeeper({ commands, runs, clock, sleep });
  const limits = openLimits(LIMITS, { monotonicNow: () => time.now });
  const recorder = new RunRecorder({
    runner: world.sites.runnerOn(machine),
    queue: { add: (...given) => world.acceptRun(machine, ...given) },
    ...{ verdicts, gate: new HostGate(sleep), mutex: new KeyedMutex(), sleep, canDecide: () => checker.canDecide() },
    fetchLimit: { run: (work, source) => limits.fetches.run(timed(work, source, world), source) },
    answers: { keep: () => Promise.resolve() },
    evidence: noEvidence,
    onInconclusive: () => undefined,
    onNotKept: () => undefined,
    onRunEnded: () => undefined,
    onTitle: () => Promise.resolve(),
  });
  const checker = new Checker({
    ...{ views, log, clock, report, locations: machine.locations, gate: { isOpen: () => isOpen(machine), lag: () => machine.lag } },
    fences: world.fences.of(machine),
    leases: world.leases.of(machine) as ConstructorParameters<typeof Checker>[0]['leases'],
    countPeers: () => {
      const peers = world.instances.map((one) => one.machine).filter((one) => one.reachesDatabase && isRight(one));
      const peersAt = (location: string): number => peers.filter(({ locations }) => locations.includes(location)).length;
      return Promise.resolve(isRight(machine) ? peersAt : null);
    },
    leavePeers: () => Promise.resolve(),
    onTurn: (turn, lateMs) => {
      witness.begun(machine, turnId(turn), turn.due, lateMs);
      if (!isOpen(machine) && !turn.kind.startsWith('uptime')) witness.broken(`${machine.name} began ${turnId(turn)} at a closed gate`);
    },
    time: {
      monotonicNow: () => time.now,
      utilization: () => 1,
      after: (milliseconds, work) => machine.after(milliseconds, work),
      sleep: (milliseconds, signal) => machine.sleep(milliseconds, signal),
      maxWaitMs: MAX_WAIT_MS,
      shardsMs: SHARDS_MS,
      settledMs: SHARDS_MS,
    },
  });
  const checks = checksOver({
    ...{ checker, recorder, verdicts, commands, runs, views, log, clock, sleep, report },
    signIn: { signIn: () => Promise.resolve(undefined) },
    wake: { ring: () => undefined },
    onFormFound: () => Promise.resolve(),
  });
  return checker.use(watchesOn(checker, machine, world, { commands, limits })).use(checks);
}

/** The backpressure gate of the machine. */
const isOpen = ({ lag }: Machine): boolean => lag <= 2;

/** The work, and how long it waited for a permit. */
function timed<Result>(
  work: () => Promise<Result>,
  source: WorkSource | undefined,
  { time, fairTurns }: SharedWorld,
): () => Promise<Result> {
  const since = time.now;
  return () => {
    fairTurns.waited(source?.account, since, time.now);
    return work();
  };
}

/** The clock of the database is right; the machine's is within the tolerance of observations. */
export const isRight = ({ offset }: Machine): boolean => clockErrorMs(0, offset, offset) === null;

function watchesOn(checker: Checker, machine: Machine, world: SharedWorld, given: Pick<WatchParts, 'commands' | 'limits'>): CheckerPart {
  const { samples, views } = world;
  return watchesOver({
    ...{ ...given, checker, samples, views, clock: { now: machine.now } },
    prober: proberOn(machine, world.sites),
    judge: { inspect: (homepage) => Promise.resolve({ kind: 'inspected', ...readHomepage(homepage) }) },
    queue: { add: (fence, projectId, sample) => world.acceptSample(machine, fence, projectId, sample) },
    looks: world.looksOf(machine),
    evidence: noEvidence,
    onInconclusive: () => undefined,
    report: reportOf(machine, world),
    sleep: (milliseconds) => machine.sleep(milliseconds),
  });
}

const reportOf =
  (machine: Machine, { witness }: Pick<SharedWorld, 'witness'>) =>
  (error: unknown): void => {
    if (machine.reachesDatabase && !/away|stopped|behind/.test(String(error))) witness.broken(`${machine.name}: ${String(error)}`);
  };

/** The command bus of one machine: every handler writes through the store as the machine reaches it. */
function commandsOf(
  machine: Machine,
  store: EventStore,
  { claims, oneAtATime, witness }: Pick<SharedWorld, 'claims' | 'oneAtATime' | 'witness'>,
): CommandBus {
  const runner = new CommandRunner(store);
  const runs = new RecordRunHandler(runner);
  const probes = new RecordProbesHandler(runner);
  const ends = new EndJobHandler(runner, claims);
  const certificates = new RecordCertificateLookHandler(runner);
  const redirects = new RecordRedirectHandler(runner);
  const execute = (command: unknown): Promise<unknown> => {
    if (!isOpen(machine)) {
      // A run or a probe waits for its decision; a look, or a decision of the previous owner, is repeated.
      const isNew = command instanceof RecordProbes || (command instanceof RecordRun && !command.context.repeat);
      if (isNew) witness.broken(`${machine.name} sent a decision to a closed gate`);
      return Promise.reject(new ReadsBehind('the read models are behind'));
    }
    if (command instanceof RecordRun)
      return runs.execute(command).finally(() => {
        oneAtATime.over(machine, command.fields.origin.checkId);
      });
    if (command instanceof RecordCertificateLook) return certificates.execute(command);
    if (command instanceof RecordRedirect) return redirects.execute(command);
    if (command instanceof RecordProbes) return probes.execute(command);
    if (command instanceof EndJob) return ends.execute(command);
    return Promise.reject(new Error('no handler for this command'));
  };
  return { execute } as unknown as CommandBus;
}
