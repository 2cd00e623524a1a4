import type { CommandBus } from '@nestjs/cqrs';
import { LocalWake } from '../../src/base/wake.ts';
import { Checker } from '../../src/checker/checker.ts';
import { AGAIN, CheckTurns, CONFIRM } from '../../src/checker/check-turns.ts';
import { HostGate } from '../../src/checker/runs/host-gate.ts';
import { RunRecorder } from '../../src/checker/runs/run-recorder.ts';
import { AtOnce } from '../../src/checker/schedule/at-once.ts';
import { Locks } from '../../src/checker/schedule/locks.ts';
import { AREA, turnsOfAreas } from '../../src/checker/schedule/turns-of-areas.ts';
import { TakeOver } from '../../src/checker/take-over.ts';
import { Undecided } from '../../src/checker/verdicts/undecided.ts';
import { VerdictKeeper } from '../../src/checker/verdicts/verdict-keeper.ts';
import { Handling } from '../../src/commands/handle.ts';
import { type RecordRun, RecordRunHandler } from '../../src/commands/verdict/record-run.command.ts';
import { MemoryEventStore } from '../../src/event-store/memory/memory-event-store.ts';
import { MemoryLog } from '../../src/log/memory-log.ts';
import type { MadeRun } from '../../src/observations/runs/run-store.ts';
import type { Views } from '../../src/projections/kit/views.ts';
import { SimLeaseTable } from './sim-leases.ts';
import { SimSites } from './sim-sites.ts';
import { SimRuns, SimViews } from './sim-stores.ts';
import { Machine, type VirtualTime } from './virtual-time.ts';

/** What happened, as somebody sees it who stands outside. */
export interface Witness {
  readonly begun: (machine: Machine, key: string, due: number, lateMs: number) => void;
  readonly accepted: (run: MadeRun, shard: string, epoch: number) => void;
  readonly broken: (what: string) => void;
}

export interface Instance {
  readonly machine: Machine;
  readonly checker: Checker;
}

const LOOK_MS = 60_000;
export const SHARDS_MS = 60_000;
const REPLY_MS = 5;

/** Everything that the checkers share: the log, the leases, what was observed, and the sites. */
export class World {
  private readonly wake = new LocalWake();
  readonly store: MemoryEventStore;
  readonly leases: SimLeaseTable;
  readonly runs = new SimRuns();
  readonly views: SimViews;
  readonly sites: SimSites;
  readonly instances: Instance[] = [];
  private readonly log: MemoryLog;
  private started = 0;

  constructor(
    readonly time: VirtualTime,
    readonly random: () => number,
    private readonly witness: Witness,
  ) {
    this.store = new MemoryEventStore({ now: () => time.now }, this.wake);
    this.log = new MemoryLog(this.store, this.wake);
    this.views = new SimViews(this.store.events);
    this.leases = new SimLeaseTable(time);
    this.sites = new SimSites(time, random, witness.broken);
  }

  async start(): Promise<Instance> {
    const machine = new Machine(`checker ${String(this.started++)}`, this.time);
    const instance = { machine, checker: this.checkerOn(machine) };
    this.instances.push(instance);
    await instance.checker.start();
    return instance;
  }

  /** As a machine that loses its power: nobody says that it is gone. */
  crash({ machine, checker }: Instance): void {
    this.leases.silent(machine);
    machine.alive = false;
    this.sites.gone(machine);
    this.instances.splice(
      this.instances.findIndex((one) => one.machine === machine),
      1,
    );
    void checker.plans.close();
  }

  pause({ machine }: Instance, milliseconds: number): void {
    this.leases.silent(machine);
    machine.pausedUntil = this.time.now + milliseconds;
    // The first thing that it does afterwards is to look how old its heartbeat is.
    if (milliseconds >= 7_000) machine.after(milliseconds, () => this.leases.lose(machine));
  }

  cut({ machine }: Instance, milliseconds: number): void {
    this.leases.silent(machine);
    machine.cutUntil = this.time.now + milliseconds;
    if (milliseconds >= 7_000) machine.after(7_000, () => this.leases.lose(machine));
  }

  private checkerOn(machine: Machine): Checker {
    const { time, witness, log, runs } = this;
    const clock = { now: machine.now };
    const views = this.views as unknown as Views;
    const report = (error: unknown): void => {
      if (machine.reachesDatabase && !String(error).includes('away')) witness.broken(`${machine.name}: ${String(error)}`);
    };
    const sleep = (milliseconds: number): Promise<void> => machine.sleep(milliseconds);
    const verdicts = new VerdictKeeper({ commands: this.commandsOf(machine), runs, clock });
    const recorder = new RunRecorder({
      runner: this.sites.runnerOn(machine),
      queue: { add: (fence, projectId, item) => this.accept(machine, fence, projectId, item) },
      ...{ verdicts, sleep, gate: new HostGate(), locks: new Locks(), atOnce: new AtOnce(100, () => time.now) },
      answers: { keep: () => Promise.resolve() },
      onOwnTrouble: () => undefined,
      onRan: () => undefined,
      onTitle: () => Promise.resolve(),
    });
    const turns = new CheckTurns(recorder, { begin: () => Promise.resolve(undefined) }, clock, () => Promise.resolve());
    const undecided = new Undecided({ views, verdicts, alone: (checkId, work) => recorder.alone(checkId, work) });
    const takeOver = new TakeOver({
      ...{ runs, views, log, clock, undecided, sleep, report },
      startJob: () => undefined,
      confirmSoon: (checker, projectId, checkId, since) => {
        turns.confirmSoon(checker, projectId, checkId, since);
      },
    });
    return new Checker({
      ...{ views, log, clock, report, locations: ['eu'], turnsOf: [turnsOfAreas] },
      leases: this.leases.of(machine) as ConstructorParameters<typeof Checker>[0]['leases'],
      peers: () => Promise.resolve(this.instances.filter((one) => one.machine.reachesDatabase).length),
      carry: (checker) => ({
        [AREA]: turns.area(checker),
        [CONFIRM]: turns.single(checker, true),
        [AGAIN]: turns.single(checker, false),
      }),
      onTaken: (checker, projectIds) => {
        for (const projectId of projectIds) verdicts.forget(projectId, checker.plans.plan.get(projectId)?.checks.keys() ?? []);
        void takeOver.goOn(checker, projectIds);
      },
      onEvent: () => undefined,
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

  private commandsOf(machine: Machine): Pick<CommandBus, 'execute'> {
    const handler = new RecordRunHandler(new Handling(this.store, { check: () => undefined }));
    const execute = async (command: RecordRun): Promise<unknown> => {
      if (!machine.reachesDatabase) throw new Error('the database is away');
      return handler.execute(command);
    };
    return { execute };
  }

  private async accept(
    machine: Machine,
    fence: { readonly name: string; readonly epoch: number },
    projectId: string,
    item: MadeRun,
  ): Promise<boolean> {
    if (!machine.reachesDatabase) throw new Error('the database is away');
    const held = this.leases.holds(fence.name, fence.epoch);
    if (held) {
      this.runs.put({ projectId, item });
      this.witness.accepted(item, fence.name, fence.epoch);
      const instance = this.instances.find((one) => one.machine === machine);
      // The worst moment to die: accepted, and nothing decided from it.
      if (instance !== undefined && this.instances.length > 1 && this.random() < 1 / 3_000) this.crash(instance);
    }
    await machine.sleep(REPLY_MS);
    return held;
  }
}
