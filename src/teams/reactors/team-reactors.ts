import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import { type ConsumerRow, ConsumerStore } from '../../platform/consumers/consumer-store.ts';
import { LeasedLoop } from '../../platform/postgres/leased-loop.ts';
import type { Leases } from '../../platform/postgres/leases.ts';
import { openPool } from '../../platform/postgres/pool.ts';
import type { ConnectionWatch } from '../../platform/postgres/connection-watch.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import type { WorkerCalls } from '../calls.ts';
import type { ReactorShape } from '../manifest.ts';
import { TeamProcessEnded } from '../process/running-child.ts';
import type { TeamProcess } from '../process/team-process.ts';
import { type TeamLoop, TeamLoops } from '../team-loops.ts';
import { consumerOfReactor, ReactorConsumer, reactorIn } from './reactor-consumer.ts';

export interface TeamReactorsOptions {
  readonly url: string;
  readonly watch?: ConnectionWatch | undefined;
  readonly wake: Wake;
  readonly leases: Leases;
  readonly openLog: (pool: pg.Pool) => Log;
  readonly effects: WorkerCalls['allowEffects']['given'];
  /** The address of the API, which is known once it listens. */
  readonly api: () => string;
  readonly report: (name: string, error: unknown) => void;
  readonly onParked: (name: string, event: LogEvent, error: unknown) => void;
}

/** Connections of one reactor, which reads the log, and parks several partitions at a time. */
const CONNECTIONS = 2;

/** The log is not the one that a reactor has followed: an operator decides from where it continues. */
class ReactorLost extends Error {
  override readonly name = 'ReactorLost';
}

/** The reactors of teams, each in one instance at a time, independently of each other. */
export class TeamReactors {
  private readonly loops: TeamLoops;

  constructor(
    private readonly options: TeamReactorsOptions,
    teams: readonly TeamProcess[],
  ) {
    this.loops = new TeamLoops(
      teams,
      teams.flatMap((team) => team.manifest.reactors.map((reactor) => this.prepare(team, reactor))),
    );
  }

  start(): void {
    this.loops.start();
  }

  close(): Promise<void> {
    return this.loops.close();
  }

  private prepare(team: TeamProcess, reactor: ReactorShape): TeamLoop {
    const { url, watch, wake, leases, openLog, effects, api, onParked } = this.options;
    const { name } = reactor;
    const entry = reactorIn(team.from, reactor);
    const { name: consumerName } = entry;
    const pool = openPool(url, { name: consumerName, max: CONNECTIONS, watch });
    const store = new ConsumerStore(pool);
    const log = openLog(pool);
    const react = async (event: LogEvent): Promise<void> => {
      const { child } = team;
      if (child === null) throw new TeamProcessEnded(`the process of ${team.from} does not run`);
      await child.call('react', { reactor: name, event, api: api() });
    };
    const parked = (event: LogEvent, error: unknown): void => {
      onParked(name, event, error);
    };
    const consumer = new ReactorConsumer({ reactor, from: team.from, log, wake, store, react, onParked: parked });
    const report = (error: unknown): void => {
      if (!(error instanceof TeamProcessEnded)) this.options.report(name, error);
    };
    const work = async (signal: AbortSignal): Promise<void> => {
      const child = await team.running(signal);
      await child.call('allowEffects', effects);
      const row = await store.open(entry, () => startOf(reactor, log));
      await refuseOtherLog(name, row, log).catch(async (error: unknown) => {
        if (error instanceof ReactorLost) await store.noteError(consumerName, error.message);
        throw error;
      });
      await consumer.work(AbortSignal.any([signal, child.signal]));
    };
    return { loop: new LeasedLoop({ name: consumerName, leases, work, report }), pool };
  }
}

async function startOf({ from }: ReactorShape, log: Log): Promise<number> {
  if (from === 'beginning') return -1;
  if (from === 'now') return log.head();
  return typeof from === 'number' ? from : log.at(from);
}

async function refuseOtherLog(name: string, { n, eventId }: ConsumerRow, log: Log): Promise<void> {
  if (eventId === null) return;
  const [event] = await log.read({ after: n - 1, until: n, limit: 1 });
  if (event?.id === eventId) return;
  throw new ReactorLost(
    `the reactor ${name} stands at ${String(n)} on event ${eventId}, which the log does not hold there: it is another log. Set it to a position: watchledger consumers move ${consumerOfReactor(name)} --to POSITION`,
  );
}
