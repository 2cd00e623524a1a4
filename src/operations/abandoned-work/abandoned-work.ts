import { Inject, Injectable, Optional } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import pg from 'pg';
import type { Logger } from 'pino';
import { type Claim, Claims, sweepClaims } from '../../platform/postgres/claims.ts';
import { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { EmailDirectory } from '../../accounts/email-directory.ts';
import { barJob, RUNNING_JOB } from '../../checker/jobs/job.commands.ts';
import { JOB_SLOT } from '../../accounts/budgets/account-budgets.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { IdempotencyStore } from '../../platform/http/idempotency/idempotency-store.ts';
import { RunStore } from '../../platform/observations/runs/run-store.ts';
import { AccountOrphans } from '../../accounts/erasure/account-erasure.ts';
import { jobTarget } from '../../checker/jobs/job.decider.ts';
import { UnfinishedAccountWork } from './unfinished-account-work.ts';
import { rebuildClaims } from './rebuild-claims.ts';
import { AbandonedJobs, recordedIn } from './abandoned-jobs.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { abandonCreation } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { LOGGER } from '../../platform/telemetry/logging/logger.ts';
import { derivedId } from '../../kernel/ids.ts';

/** The owner whose plan limit the slot counts against. */
const ownerOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** Releases project slots that a crash left behind: of a creation or transfer that never happened, or of the owner before a transfer. */
@Injectable()
export class ProjectSlotCleanup {
  constructor(
    private readonly pool: pg.Pool,
    private readonly claims: Claims,
    private readonly runner: CommandRunner,
  ) {}

  /** Appends a fence to the project's stream, which a late creation conflicts with. Only the owner of the project keeps a slot. */
  async fence(claim: Claim): Promise<'fenced' | 'holder won'> {
    const context = systemContext({ kind: 'reactor', id: 'sweeper' }, Date.now(), {
      commandId: derivedId('fence', claim.kind, claim.key, claim.holder),
    });
    const { state } = await this.runner.run(projectTarget(claim.holder), context, (project) => abandonCreation(project, claim.key));
    return state.kind === 'open' && String(state.payerId) === ownerOf(claim.key) ? 'holder won' : 'fenced';
  }

  /** Releases the slots of former owners of transferred projects. */
  async releaseFormer(): Promise<void> {
    const { rows } = await this.pool.query<{ holder: string; keys: string[] }>(
      `SELECT holder, array_agg(key) AS keys FROM claim WHERE kind = $1 AND expires IS NULL GROUP BY holder HAVING count(*) > 1`,
      [PROJECT_SLOT],
    );
    for (const { holder, keys } of rows) {
      const state = await this.runner.read(projectTarget(holder));
      const former = state.kind === 'open' ? keys.filter((key) => ownerOf(key) !== String(state.payerId)) : [];
      for (const key of former) await this.claims.release(PROJECT_SLOT, key, holder);
    }
  }
}

/** The first run comes soon after the start, for what a crash or restore interrupted, but does not delay it. */
const FIRST_RUN_MS = 3_000;
const INTERVAL_MS = 60_000;

/** The event in the holder's stream after which a kept claim is released. */
const endings = [
  { kind: PROJECT_SLOT, stream: 'project-', ending: 'ProjectDeleted' },
  { kind: RUNNING_JOB, stream: 'job-', ending: 'JobEnded' },
  { kind: JOB_SLOT, stream: 'job-', ending: 'JobEnded' },
] as const;

/**
 * The process manager of deadlines: completes or compensates work that a crash interrupted (unkept claims, jobs without progress, unfinished
 * erasures) and deletes expired rows. Idempotent, so every instance may run it.
 */
@Injectable()
export class AbandonedWork {
  private first: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly jobs: AbandonedJobs;
  /** Only a separate event store can be ahead of a restored database. */
  private claimsAreRebuilt: boolean;

  constructor(
    private readonly pool: pg.Pool,
    private readonly claims: Claims,
    private readonly keyring: Keyring,
    private readonly runner: CommandRunner,
    private readonly views: ViewsAt,
    private readonly mails: MailOutbox,
    private readonly slots: ProjectSlotCleanup,
    private readonly accounts: UnfinishedAccountWork,
    private readonly directory: EmailDirectory,
    private readonly answers: IdempotencyStore,
    @Optional() @Inject(AccountOrphans) private readonly orphans: AccountOrphans | undefined,
    runs: RunStore,
    commands: CommandBus,
    @Inject(CONFIG) { eventStoreUrl }: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.claimsAreRebuilt = eventStoreUrl === undefined;
    this.jobs = new AbandonedJobs({ recorded: recordedIn(pool), views: views.now(), runs, end: commands });
  }

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
      () => this.rebuildClaims(),
      () => sweepClaims(this.claims, (claim) => this.fence(claim)),
      () => this.answers.deleteExpired(),
      () => this.mails.sendDue(),
      () => this.accounts.run(),
      async () => this.orphans?.deleteOfErased(),
      () => this.deleteOfEndedServices(),
      () => this.abandonJobs(),
      () => this.releaseEnded(),
      () => this.slots.releaseFormer(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, `${String(failures.length)} of ${String(steps.length)} steps failed`);
  }

  /** Once per start, after the log has caught up with the event store. */
  private async rebuildClaims(): Promise<void> {
    if (this.claimsAreRebuilt || !this.accounts.isReadable()) return;
    const { logger, pool, claims, keyring, directory } = this;
    const views = this.views.now();
    const { claimed, keyDestroyed, addressTaken } = await rebuildClaims({ pool, claims, keyring, views, directory });
    this.claimsAreRebuilt = true;
    if (claimed.length > 0) logger.warn({ claimed }, 'claims rebuilt from the log: the event store was ahead of this database');
    if (addressTaken.length > 0)
      logger.warn({ addressTaken }, 'accounts lost their e-mail address to another account and cannot sign in with it');
    if (keyDestroyed.length > 0)
      logger.error({ keyDestroyed }, 'accounts without a key cannot sign in: they were opened after the backup of the keys');
  }

  /** Not while the read models are behind: a service account may be missing there. */
  private async deleteOfEndedServices(): Promise<void> {
    if (this.accounts.isReadable()) await this.orphans?.deleteOfEndedServices();
  }

  private async abandonJobs(): Promise<void> {
    const jobs = await this.jobs.abandon();
    if (jobs.length > 0) this.logger.warn({ jobs }, 'jobs without progress were abandoned');
  }

  /** Releases claims that a crash left between the ending event and the release: slots of deleted projects, areas whose job has ended. */
  private async releaseEnded(): Promise<void> {
    for (const { kind, stream, ending } of endings) {
      const { rows } = await this.pool.query<{ holder: string }>(
        `SELECT DISTINCT holder FROM claim WHERE kind = $1 AND expires IS NULL
           AND EXISTS (SELECT FROM log WHERE log.stream = $2 || claim.holder AND log.type = $3)`,
        [kind, stream, ending],
      );
      for (const { holder } of rows) await this.claims.releaseAll(kind, holder);
    }
  }

  private async fence(claim: Claim): Promise<'fenced' | 'holder won'> {
    if (claim.kind === PROJECT_SLOT) return this.slots.fence(claim);
    if (claim.kind === RUNNING_JOB) return (await barJob(this.runner, claim, Date.now())) === 'requested' ? 'holder won' : 'fenced';
    // A request that comes after its slot was freed runs above the bound: harmless.
    if (claim.kind === JOB_SLOT) return (await this.runner.read(jobTarget('', claim.holder))) === 'requested' ? 'holder won' : 'fenced';
    return (await this.accounts.fence(claim)) ?? 'holder won';
  }
}
