import type pg from 'pg';
import { MemoryKeyring } from '../support/memory/memory-keyring.ts';
import { MemoryClaims } from '../support/memory/memory-claims.ts';
import { NOTIFICATIONS } from '../../src/platform/outbox/delivery-store.ts';
import { LocalWake } from '../../src/platform/postgres/wake.ts';
import type { Checker } from '../../src/checker/checker.ts';
import type { EventStore } from '../../src/platform/event-store/event-store.ts';
import { MemoryEventStore } from '../support/memory/memory-event-store.ts';
import { MemoryLog } from '../support/memory/memory-log.ts';
import type { InspectionStore } from '../../src/platform/observations/inspections/inspection-store.ts';
import type { FencingToken } from '../../src/platform/observations/fences.ts';
import { acceptanceWindow } from '../../src/platform/observations/packs/pack-writer.ts';
import type { MadeRun } from '../../src/platform/observations/runs/run-store.ts';
import type { Sample } from '../../src/platform/observations/samples/sample.ts';
import { SimReceiver } from './sim-receiver.ts';
import { checkerOn, type SharedWorld } from './sim-checker.ts';
import { logOf, type ConnectionFaults, poolOf, storeOf } from './sim-database.ts';
import { SimCompaction } from './sim-compaction.ts';
import { SimFences } from './sim-fences.ts';
import { SimLeaseTable } from './sim-leases.ts';
import { SimNotifications } from './sim-notifications.ts';
import { Evidence, type Seen } from './invariants/evidence.ts';
import { FairTurns } from './invariants/fair-turns.ts';
import { MutualExclusion } from './invariants/mutual-exclusion.ts';
import { SimBooks, SimDayClosing } from './sim-day-closing.ts';
import { SimSites } from './sim-sites.ts';
import { SimLooks, SimRuns, SimSamples } from './sim-stores.ts';
import { SimViews } from './sim-views.ts';
import { LOCATIONS, Machine, type VirtualTime } from './virtual-time.ts';

/** The observations of an outside observer. */
export interface Witness {
  readonly begun: (machine: Machine, key: string, due: number, lateMs: number) => void;
  readonly accepted: (run: MadeRun, shard: string, epoch: number) => void;
  readonly died: (instance: SimInstance) => void;
  readonly broken: (what: string) => void;
  /** Whether a machine was paused or cut off in this time. */
  readonly wasAway: (from: number, to: number) => boolean;
}

export interface SimInstance {
  readonly machine: Machine;
  readonly checker: Checker;
  readonly reactor: SimNotifications;
}

/** Non-urgent items wait to be batched, as in the queue of a machine. */
const GATHER_MS = 1_000;

const REPLY_MS = 5;
/** As often a machine dies in the worst moment: a run was accepted and nothing decided from it, a message was sent and nothing recorded. */
const [DIES_DECIDING, DIES_TELLING] = [1 / 3_000, 1 / 12];

/** The wake-ups of all machines, with a record of each. */
class LoudWake extends LocalWake {
  constructor(private readonly rang: (topic: string) => void) {
    super();
  }

  override ring(topic: string): void {
    super.ring(topic);
    this.rang(topic);
  }
}

/** What the machines share: the log, the tables, the leases, the observations, the sites and the receiver. */
export class SimWorld implements SharedWorld {
  readonly wake = new LoudWake((topic) => {
    for (const { reactor } of this.instances)
      if (topic === 'log') reactor.ring();
      else if (topic === NOTIFICATIONS) reactor.intended();
  });
  readonly store: MemoryEventStore;
  readonly claims: MemoryClaims;
  readonly keyring = new MemoryKeyring();
  readonly leases: SimLeaseTable;
  readonly fences: SimFences;
  private readonly compaction: SimCompaction;
  readonly runs = new SimRuns();
  readonly samples = new SimSamples();
  readonly looks = new SimLooks();
  readonly books = new SimBooks(this.samples);
  readonly views: SimViews;
  readonly sites: SimSites;
  readonly receiver: SimReceiver;
  readonly evidence = new Evidence();
  readonly oneAtATime: MutualExclusion;
  readonly fairTurns: FairTurns;
  readonly instances: SimInstance[] = [];
  private readonly mishaps: ConnectionFaults;
  private started = 0;
  /** Events before the first notifier started cause no alerts. */
  followedFrom = Infinity;

  constructor(
    readonly time: VirtualTime,
    readonly random: () => number,
    private readonly pool: pg.Pool,
    readonly witness: Witness,
  ) {
    this.store = new MemoryEventStore({ now: () => time.now }, this.wake);
    this.claims = new MemoryClaims({ now: () => time.now });
    this.views = new SimViews(this.store.events);
    this.leases = new SimLeaseTable(time);
    this.fences = new SimFences(time, random);
    this.oneAtATime = new MutualExclusion(witness.broken);
    this.fairTurns = new FairTurns(witness.wasAway, witness.broken);
    this.sites = new SimSites(time, random, this.oneAtATime, witness.broken);
    this.compaction = new SimCompaction({
      ...{ time, pool: this.pool, broken: witness.broken },
      poolOf: (machine) => poolOf(machine, this.pool, time, this.mishaps),
      machines: () => this.instances.map(({ machine }) => machine),
    });
    this.receiver = new SimReceiver(time, {
      random,
      broken: witness.broken,
      taken: (machine) => {
        if (random() < DIES_TELLING) this.die(machine);
      },
    });
    this.mishaps = {
      random,
      happened: (machine, what) => {
        if (what === 'death') this.die(machine);
        else this.receiver.trouble();
      },
    };
  }

  async start(): Promise<SimInstance> {
    const { time, views, samples, wake, leases, keyring, receiver, random } = this;
    // Of four, one serves a part of the locations.
    const locations = this.started % 4 === 3 ? LOCATIONS.slice(0, 1) : LOCATIONS;
    const machine = new Machine(`machine ${String(this.started++)}`, time, locations);
    const store = storeOf(machine, this.store, this.mishaps);
    const pool = poolOf(machine, this.pool, time, this.mishaps);
    const checker = checkerOn(machine, this, store, logOf(machine, new MemoryLog(this.store, wake), time));
    const { events } = this.store;
    const reactor = new SimNotifications(machine, {
      time,
      pool,
      store,
      events,
      views,
      samples,
      wake,
      leases,
      keyring,
      receiver,
      random,
      broken: this.witness.broken,
      follows: (next) => (this.followedFrom = Math.min(this.followedFrom, next)),
    });
    new SimDayClosing(machine, { time, leases, samples, books: this.books, store, broken: this.witness.broken });
    const instance = { machine, checker, reactor };
    this.instances.push(instance);
    await checker.start();
    return instance;
  }

  /** The store as a healthy machine reaches it, with random connection faults. */
  storeOf(machine: Machine): EventStore {
    return storeOf(machine, this.store, this.mishaps);
  }

  looksOf(machine: Machine): Pick<InspectionStore, 'accept' | 'latest'> {
    return {
      accept: async (fence, look) => {
        await Promise.resolve();
        const held = this.holds(machine, fence);
        if (held) this.looks.put(look);
        return held;
      },
      latest: async (kind, projectIds) => {
        await Promise.resolve();
        if (!machine.reachesDatabase) throw new Error('the database is away');
        return this.looks.of(kind, projectIds);
      },
    };
  }

  /** Crashes the machine without notice to the others. */
  crash({ machine, checker }: SimInstance): void {
    this.receiver.trouble();
    this.leases.silent(machine);
    machine.alive = false;
    this.sites.machineStopped(machine);
    this.oneAtATime.machineStopped(machine);
    this.instances.splice(
      this.instances.findIndex((one) => one.machine === machine),
      1,
    );
    void checker.follower.close();
  }

  pause({ machine }: SimInstance, milliseconds: number): void {
    this.receiver.trouble();
    this.leases.silent(machine);
    machine.pausedUntil = this.time.now + milliseconds;
    // It first checks the age of its heartbeat.
    if (milliseconds >= 7_000) machine.after(milliseconds, () => this.leases.lose(machine));
  }

  slow({ machine }: SimInstance, milliseconds: number): void {
    machine.slowUntil = this.time.now + milliseconds;
  }

  fallBehind({ machine }: SimInstance, milliseconds: number): void {
    machine.behindUntil = this.time.now + milliseconds;
  }

  cut({ machine }: SimInstance, milliseconds: number): void {
    this.receiver.trouble();
    this.leases.silent(machine);
    machine.cutUntil = this.time.now + milliseconds;
    if (milliseconds >= 7_000) machine.after(7_000, () => this.leases.lose(machine));
  }

  async acceptRun(machine: Machine, fence: FencingToken, projectId: string, item: MadeRun, urgent: boolean): Promise<boolean> {
    try {
      if (!urgent) await machine.sleep(this.random() * GATHER_MS);
      const held = this.believes(item.at) && this.holds(machine, fence);
      if (held) {
        this.runs.put({ projectId, item });
        this.evidence.accepted(item.checkId, this.seen(item), item.jobId);
        this.witness.accepted(item, fence.name, fence.epoch);
        if (this.random() < DIES_DECIDING) this.die(machine);
      } else this.oneAtATime.over(machine, item.checkId);
      await machine.sleep(REPLY_MS);
      return held;
    } catch (error) {
      this.oneAtATime.over(machine, item.checkId);
      throw error;
    }
  }

  async acceptSample(machine: Machine, fence: FencingToken, projectId: string, sample: Sample): Promise<boolean> {
    const held = this.believes(sample.at) && this.holds(machine, fence);
    if (held) {
      this.samples.put(projectId, sample);
      this.compaction.put(projectId, sample);
      this.evidence.accepted(projectId, this.seen(sample));
    }
    await machine.sleep(REPLY_MS);
    return held;
  }

  holds(machine: Machine, fence: FencingToken): boolean {
    return this.fences.holds(machine, fence);
  }

  /** Observations of a clock that is too wrong are refused. */
  private believes(at: number): boolean {
    return at >= this.time.now - acceptanceWindow.pastMs && at <= this.time.now + acceptanceWindow.futureMs;
  }

  private seen({ at, outcome }: { readonly at: number; readonly outcome: string }): Seen {
    return { at: this.time.now, clock: at, failing: outcome !== 'ok' && outcome !== 'up' };
  }

  private die(machine: Machine): void {
    const instance = this.instances.find((one) => one.machine === machine);
    if (instance !== undefined) this.witness.died(instance);
  }
}
