import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CONFIG, type Config } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { Lifecycle, type LongRunning } from '../kernel/lifecycle.ts';
import { VIEWS_AT, type ViewsAt } from '../projections/views/views.ts';
import { CHECKER_METER, type CheckerMeter } from './checker-meter.ts';
import { CHECKER_PARTS, type CheckerParts } from './checker-parts.ts';
import { type OpenChecker, openChecker } from './open-checker.ts';
import { Peers } from './shards/peers.ts';

/** A turn that begins later than this is worth a line. */
const LATE_MS = 5_000;

/** The checker's life within the service. */
@Injectable()
export class CheckerRuntime implements LongRunning {
  private readonly logger = new Logger('checker');
  private readonly open: OpenChecker;
  private readonly peers: Peers;
  private closed: Promise<void> | undefined;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(CHECKER_PARTS) parts: CheckerParts,
    @Inject(VIEWS_AT) views: ViewsAt,
    @Inject(CommandBus) commands: CommandBus,
    @Inject(CHECKER_METER) meter: CheckerMeter,
    @Inject(Lifecycle) lifecycle: Lifecycle,
  ) {
    this.peers = new Peers({
      ...{ pool: parts.pool, leases: parts.leases, clock: systemClock },
      onClock: (offMs) => {
        if (offMs === null) this.logger.log('the clock of this machine is right again: it looks at sites');
        else this.logger.error({ offMs }, 'the clock of this machine is not that of the database: it looks at nothing until it is');
      },
    });
    this.open = openChecker({
      ...parts,
      commands,
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
    lifecycle.add(this);
  }

  async start(): Promise<void> {
    await this.open.checker.start();
  }

  /** No request depends on a run: the checker ends while the last requests are still answered. */
  drain(): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    return (this.closed ??= this.open.close().then(() => this.peers.leave()));
  }
}
