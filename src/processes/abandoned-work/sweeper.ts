import type { Logger } from 'pino';
import { sweepClaims, type Claim } from '../../persistence/claims.ts';
import { EmailDirectory } from '../../security/email-directory.ts';
import { EndJobHandler } from '../../commands/job/end-job.command.ts';
import { barJob, RUNNING_JOB } from '../../commands/job/running-job.ts';
import { PROJECT_SLOT } from '../../commands/project/project-slot.ts';
import { IdempotencyStore } from '../../persistence/idempotency-store.ts';
import { PostgresRuns } from '../../observations/runs/postgres-runs.ts';
import { AccountSweep, type AccountSweepParts } from './account-sweep.ts';
import { type AccountToolsParts, accountTools } from '../account-erasure/account-tools.ts';
import { regainClaims } from './claims-of-log.ts';
import { JobSweep, recordedIn } from './job-sweep.ts';
import { SlotSweep } from './slot-sweep.ts';

/** What a crash or a restore interrupted does not wait for a minute, and does not stand in the way of the start. */
const SOON_MS = 3_000;
const EVERY_MS = 60_000;

export interface SweeperParts extends AccountToolsParts, AccountSweepParts {
  readonly logger: Logger;
  /** Where events are kept. */
  readonly engine: { readonly name: 'postgres' | 'kurrentdb' };
}

/** The event that ends the need of a kept claim, in its holder's stream. */
const endings = [
  { kind: PROJECT_SLOT, stream: 'project-', ending: 'ProjectDeleted' },
  { kind: RUNNING_JOB, stream: 'job-', ending: 'JobEnded' },
] as const;

/** Tidies what a crash left behind: claims that nobody kept, jobs that nobody gets on with, answers that nobody will ask for again. Several at once do no harm. */
export class Sweeper {
  private first: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly slots: SlotSweep;
  private readonly answers: IdempotencyStore;
  private readonly accounts: AccountSweep;
  private readonly jobs: JobSweep;
  /** Only an event store can know more than a restored database. */
  private regained: boolean;

  constructor(private readonly parts: SweeperParts) {
    this.slots = new SlotSweep(parts.pool, parts.claims, parts.runner);
    this.answers = new IdempotencyStore(parts.pool);
    this.accounts = new AccountSweep(parts, accountTools(parts));
    this.regained = parts.engine.name === 'postgres';
    const runs = new PostgresRuns(parts.pool);
    this.jobs = new JobSweep({
      recorded: recordedIn(parts.pool),
      views: parts.views.now(),
      runs,
      end: new EndJobHandler(parts.runner, parts.claims),
    });
  }

  start(): void {
    const sweep = (): void => {
      this.running = this.running
        .then(() => this.sweep())
        .catch((error: unknown) => {
          this.parts.logger.warn({ err: error }, 'tidying up failed; trying again in a minute');
        });
    };
    this.first = setTimeout(sweep, SOON_MS).unref();
    this.timer = setInterval(sweep, EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.first);
    clearInterval(this.timer);
    await this.running;
  }

  /** A step that fails holds up none of the others. */
  private async sweep(): Promise<void> {
    const steps = [
      () => this.regain(),
      () => sweepClaims(this.parts.claims, (claim) => this.fence(claim)),
      () => this.answers.deleteExpired(),
      () => this.accounts.sweep(),
      () => this.giveJobsUp(),
      () => this.releaseEnded(),
      () => this.slots.releaseFormer(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, `${String(failures.length)} of ${String(steps.length)} steps failed`);
  }

  /** Once a start, when the log has all that the event store has. */
  private async regain(): Promise<void> {
    if (this.regained || !this.accounts.isReadable()) return;
    const { logger, pool, claims, keyring, secrets, views } = this.parts;
    const { claimed, keyless, beaten } = await regainClaims({
      ...{ pool, claims, keyring, views: views.now() },
      directory: new EmailDirectory(claims, secrets),
    });
    this.regained = true;
    if (claimed.length > 0)
      logger.warn({ claimed }, 'the event store knew more than this database: addresses and places were claimed again');
    if (beaten.length > 0) logger.warn({ beaten }, 'these accounts lost their address to another account, and cannot sign in by it');
    if (keyless.length > 0)
      logger.error({ keyless }, 'these accounts have no key: they were opened after the keys were copied, and cannot sign in any more');
  }

  private async giveJobsUp(): Promise<void> {
    const givenUp = await this.jobs.sweep();
    if (givenUp.length > 0) this.parts.logger.warn({ jobs: givenUp }, 'nobody got on with these jobs: they were given up');
  }

  /** What a crash between an ending and its release left taken: places of deleted projects, groups whose job has ended. */
  private async releaseEnded(): Promise<void> {
    for (const { kind, stream, ending } of endings) {
      const { rows } = await this.parts.pool.query<{ holder: string }>(
        `SELECT DISTINCT holder FROM claim WHERE kind = $1 AND expires IS NULL
           AND EXISTS (SELECT FROM log WHERE log.stream = $2 || claim.holder AND log.type = $3)`,
        [kind, stream, ending],
      );
      for (const { holder } of rows) await this.parts.claims.releaseAll(kind, holder);
    }
  }

  private async fence(claim: Claim): Promise<'fenced' | 'holder won'> {
    if (claim.kind === PROJECT_SLOT) return this.slots.fence(claim);
    if (claim.kind === RUNNING_JOB) return (await barJob(this.parts.runner, claim, Date.now())) === 'requested' ? 'holder won' : 'fenced';
    return (await this.accounts.fence(claim)) ?? 'holder won';
  }
}
