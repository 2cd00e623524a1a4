import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import { Guard } from '../base/guard/guard.ts';
import { KEYRING, type Keyring } from '../base/keyring/keyring.ts';
import { LEASES, type Leases } from '../base/leases.ts';
import { DATABASE } from '../base/pool.ts';
import { WAKE, type Wake } from '../base/wake.ts';
import { CONFIG, type Config } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { LOG, type Log } from '../log/log.ts';
import { RUN_STORE, type RunStore } from '../observations/runs/run-store.ts';
import { SAMPLE_STORE, type SampleStore } from '../observations/samples/sample-store.ts';
import { VIEWS_AT, type ViewsAt } from '../projections/kit/views.ts';
import { CHECKER_METER, type CheckerMeter } from './checker-meter.ts';
import { type OpenChecker, openChecker } from './open-checker.ts';
import { Peers } from './shards/peers.ts';

/** A turn that begins later than this is worth a line. */
const LATE_MS = 5_000;

/** The checker's life within the service. */
@Injectable()
export class CheckerRuntime implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('checker');
  private readonly open: OpenChecker;
  private readonly peers: Peers;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(DATABASE) pool: pg.Pool,
    @Inject(LEASES) leases: Leases,
    @Inject(WAKE) wake: Wake,
    @Inject(LOG) log: Log,
    @Inject(VIEWS_AT) views: ViewsAt,
    @Inject(RUN_STORE) runs: RunStore,
    @Inject(SAMPLE_STORE) samples: SampleStore,
    @Inject(Guard) guard: Guard,
    @Inject(KEYRING) keyring: Keyring,
    @Inject(CommandBus) commands: CommandBus,
    @Inject(CHECKER_METER) meter: CheckerMeter,
  ) {
    this.peers = new Peers(pool, leases);
    this.open = openChecker({
      ...{ pool, leases, wake, log, runs, samples, guard, keyring, commands },
      views: views.now(),
      clock: systemClock,
      locations: config.locations,
      peers: () => this.peers.count(),
      onRan: (outcome) => {
        meter.ran(outcome);
      },
      onLate: (turn, milliseconds) => {
        meter.began(turn.kind, milliseconds);
        if (milliseconds > LATE_MS) this.logger.warn({ kind: turn.kind, milliseconds }, 'a turn began late');
      },
      onOwnTrouble: (reason) => {
        meter.ownTrouble();
        this.logger.warn({ reason }, 'trouble of our own: the run will be made again');
      },
      report: (error, what) => {
        this.logger.error(error instanceof Error ? error : { what, error });
      },
    });
    meter.standing(() => this.open.standing());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.open.checker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.open.close();
    await this.peers.leave();
  }
}
