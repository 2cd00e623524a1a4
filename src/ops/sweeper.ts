import { sweepClaims, type Claim } from '../base/claims.ts';
import { ownContext } from '../commands/context.ts';
import { Handling } from '../commands/handle.ts';
import { RUNNING_JOB } from '../commands/job/running-job.ts';
import { PROJECT_SLOT } from '../commands/project/project-slot.ts';
import { abandonJob, jobTarget } from '../domain/job/job.ts';
import { IdempotencyStore } from '../http/idempotency/idempotency-store.ts';
import { derivedId } from '../kernel/ids.ts';
import { AccountSweep } from './account-sweep.ts';
import { accountTools } from './account-tools.ts';
import type { Parts } from './parts.ts';
import { SlotSweep } from './slot-sweep.ts';

const EVERY_MS = 60_000;

/** The event that ends the need of a kept claim, in its holder's stream. */
const endings = [
  { kind: PROJECT_SLOT, stream: 'project-', ending: 'ProjectDeleted' },
  { kind: RUNNING_JOB, stream: 'job-', ending: 'JobEnded' },
] as const;

/** Tidies what a crash left behind: claims that nobody kept, answers that nobody will ask for again. Several at once do no harm. */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly handling: Handling;
  private readonly slots: SlotSweep;
  private readonly answers: IdempotencyStore;
  private readonly accounts: AccountSweep;

  constructor(private readonly parts: Parts) {
    this.handling = new Handling(parts.store, { check: () => undefined });
    this.slots = new SlotSweep(parts.pool, parts.claims, this.handling);
    this.answers = new IdempotencyStore(parts.pool);
    this.accounts = new AccountSweep(parts, accountTools(parts));
  }

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.sweep().catch((error: unknown) => {
        this.parts.logger.warn({ err: error }, 'tidying up failed; trying again in a minute');
      });
    }, EVERY_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async sweep(): Promise<void> {
    await sweepClaims(this.parts.claims, (claim) => this.fence(claim));
    await this.answers.forgetOld();
    await this.accounts.sweep();
    await this.releaseEnded();
    await this.slots.releaseFormer();
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

  /** The key begins with the project. */
  private async fenceJob({ kind, key, holder: jobId }: Claim): Promise<'fenced' | 'holder won'> {
    const now = Date.now();
    const context = ownContext({ kind: 'reactor', id: 'sweeper' }, now, { commandId: derivedId('fence', kind, key, jobId) });
    const target = jobTarget(key.split(' ')[0] ?? '', jobId);
    const { state } = await this.handling.change(target, context, (job) => abandonJob(job, jobId, new Date(now).toISOString()));
    return state === 'requested' ? 'holder won' : 'fenced';
  }

  private async fence(claim: Claim): Promise<'fenced' | 'holder won'> {
    if (claim.kind === PROJECT_SLOT) return this.slots.fence(claim);
    if (claim.kind === RUNNING_JOB) return this.fenceJob(claim);
    return (await this.accounts.fence(claim)) ?? 'holder won';
  }
}
