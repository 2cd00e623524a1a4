import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Logger } from 'pino';
import { AccountOrphans } from '../../accounts/erasure/account-erasure.ts';
import { IdempotencyStore } from '../../platform/http/idempotency/idempotency-store.ts';
import { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import { LOGGER } from '../../platform/telemetry/logging/logger.ts';
import { AbandonedJobs } from './abandoned-jobs.ts';
import { LostClaims } from './lost-claims.ts';
import { UnfinishedAccountWork } from './unfinished-account-work.ts';
import { UnfinishedClaims } from './unfinished-claims.ts';

/** The first run comes soon after the start, for what a crash or restore interrupted, but does not delay it. */
const FIRST_RUN_MS = 3_000;
const INTERVAL_MS = 60_000;

/**
 * The process manager of deadlines: completes or compensates work that a crash interrupted (unkept claims, jobs without progress, unfinished
 * erasures) and deletes expired rows. Idempotent, so every instance may run it.
 */
@Injectable()
export class AbandonedWork {
  private first: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly claims: UnfinishedClaims,
    private readonly lostClaims: LostClaims,
    private readonly jobs: AbandonedJobs,
    private readonly accounts: UnfinishedAccountWork,
    private readonly mails: MailOutbox,
    private readonly answers: IdempotencyStore,
    @Optional() @Inject(AccountOrphans) private readonly orphans: AccountOrphans | undefined,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    const run = (): void => {
      this.running = this.running
        .then(() => this.run())
        .catch((error: unknown) => {
          this.logger.warn({ err: error }, 'cleanup of abandoned work failed; retrying in a minute');
        });
    };
    this.first = setTimeout(run, FIRST_RUN_MS).unref();
    this.timer = setInterval(run, INTERVAL_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.first);
    clearInterval(this.timer);
    await this.running;
  }

  /** A failing step does not stop the others. */
  private async run(): Promise<void> {
    const steps = [
      () => this.whenReadable(() => this.lostClaims.rebuild()),
      () => this.claims.sweep(),
      () => this.answers.deleteExpired(),
      () => this.mails.sendDue(),
      () => this.accounts.run(),
      async () => this.orphans?.deleteOfErased(),
      () => this.whenReadable(() => this.orphans?.deleteOfEndedServices()),
      () => this.abandonJobs(),
      () => this.claims.releaseEnded(),
      () => this.claims.releaseFormer(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, `${String(failures.length)} of ${String(steps.length)} steps failed`);
  }

  /** Not while the read models are behind: what is newest may be missing there. */
  private async whenReadable(step: () => Promise<void> | undefined): Promise<void> {
    if (this.accounts.isReadable()) await step();
  }

  private async abandonJobs(): Promise<void> {
    const jobs = await this.jobs.abandon();
    if (jobs.length > 0) this.logger.warn({ jobs }, 'jobs without progress were abandoned');
  }
}
