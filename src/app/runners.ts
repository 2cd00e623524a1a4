import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { SealingLoop } from '../ledger/sealer/sealing-loop.ts';
import { LeasedLoop } from '../persistence/leased-loop.ts';
import type { TeamPackage } from '../projections/authoring/load-projections.ts';
import type { TeamProjections } from '../projections/sets/team-projections.ts';
import { ViewLife } from '../projections/views/view-life.ts';
import { notificationLoops } from './notifications.ts';
import { observationsKeeper } from '../processes/day-closing/observations-keeper.ts';
import type { Parts } from './parts.ts';
import { sealingLoop } from './sealing.ts';
import { Sweeper } from '../processes/abandoned-work/sweeper.ts';
import { teamProjections } from './teams/teams.ts';

const AGAIN_MS = 1_000;

/** What works by itself in this process, as its roles say. */
export class Runners {
  private readonly logger: Logger;
  private readonly core: LeasedLoop | undefined;
  private readonly sealing: SealingLoop | undefined;
  private readonly teams: TeamProjections | undefined;
  private readonly sweeper: Sweeper;
  private readonly observations: LeasedLoop | undefined;
  private readonly notifications: readonly LeasedLoop[];
  private readonly closing = new AbortController();
  private reading: Promise<void> | undefined;

  constructor(
    config: Config,
    private readonly parts: Parts,
    teams: readonly TeamPackage[] = [],
  ) {
    this.logger = parts.logger;
    this.core = config.roles.includes('projector') ? this.coreViews() : undefined;
    this.sealing = config.roles.includes('projector') ? sealingLoop(parts.seal, { ...parts, config }) : undefined;
    this.teams = config.roles.includes('projector') && teams.length > 0 ? teamProjections(parts, teams) : undefined;
    this.sweeper = new Sweeper(parts);
    const limits = { retentionDays: config.retentionDays, pageBytes: config.keptPagesMb * 2 ** 20 };
    this.observations = config.roles.includes('reactor') ? observationsKeeper(parts, limits) : undefined;
    this.notifications = config.roles.includes('reactor') ? notificationLoops(config, parts) : [];
  }

  async start(): Promise<void> {
    this.parts.engine.start();
    this.core?.start();
    await this.parts.readYourWrites.start();
    this.sealing?.start();
    this.teams?.start();
    void this.startReaders();
  }

  /** Until the read models are there, or it ends. A database that goes away meanwhile is waited for, as at any later time. */
  abreast(): Promise<void> {
    return (this.reading ??= this.untilReadable());
  }

  private async untilReadable(): Promise<void> {
    while (!this.isClosing()) {
      try {
        await this.parts.readYourWrites.waitUntilCaughtUp();
        return;
      } catch (error) {
        if (this.isClosing()) return;
        this.logger.warn({ err: error }, 'the read models are not abreast of the log yet');
        await sleep(AGAIN_MS, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  /** These act on what they read: beside tables that are still filled, as at a first start or after a restore, they would find too little. */
  private async startReaders(): Promise<void> {
    await this.abreast();
    if (this.isClosing()) return;
    this.sweeper.start();
    this.observations?.start();
    for (const loop of this.notifications) loop.start();
  }

  /** Asked anew after each wait. */
  private isClosing(): boolean {
    return this.closing.signal.aborted;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.notifications.map((loop) => loop.close()));
    await this.observations?.close();
    await this.sweeper.close();
    await this.teams?.close();
    await this.sealing?.close();
    await this.core?.close();
  }

  private coreViews(): LeasedLoop {
    const { unit, log, viewPool: db, wake, readYourWrites, leases } = this.parts;
    const report = (error: unknown): void => {
      this.logger.error({ err: error }, 'the read models stopped; trying again');
    };
    const life = new ViewLife({ unit, log, db, wake, readYourWrites, report });
    return new LeasedLoop({ name: `projection ${unit.schema}`, leases, work: (signal) => life.work(signal), report });
  }
}
