import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { JOB_SLOT } from '../../accounts/budgets/account-budgets.ts';
import { barJob, RUNNING_JOB } from '../../checker/jobs/job.commands.ts';
import { jobTarget } from '../../checker/jobs/job.decider.ts';
import { derivedId } from '../../kernel/ids.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { type Claim, Claims, sweepClaims } from '../../platform/postgres/claims.ts';
import { abandonCreation } from '../../projects/project.decider.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { UnfinishedAccountWork } from './unfinished-account-work.ts';

/** The owner whose plan limit the slot counts against. */
const ownerOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** The event in the holder's stream after which a kept claim is released. */
const endings = [
  { kind: PROJECT_SLOT, stream: 'project-', ending: 'ProjectDeleted' },
  { kind: RUNNING_JOB, stream: 'job-', ending: 'JobEnded' },
  { kind: JOB_SLOT, stream: 'job-', ending: 'JobEnded' },
] as const;

/** Releases claims that a crash left behind: of what never happened, of what has ended, and of the owner before a transfer. */
@Injectable()
export class UnfinishedClaims {
  constructor(
    private readonly pool: pg.Pool,
    private readonly claims: Claims,
    private readonly runner: CommandRunner,
    private readonly accounts: UnfinishedAccountWork,
  ) {}

  sweep(): Promise<number> {
    return sweepClaims(this.claims, (claim) => this.fence(claim));
  }

  /** Releases claims that a crash left between the ending event and the release: slots of deleted projects, areas whose job has ended. */
  async releaseEnded(): Promise<void> {
    for (const { kind, stream, ending } of endings) {
      const { rows } = await this.pool.query<{ holder: string }>(
        `SELECT DISTINCT holder FROM claim WHERE kind = $1 AND expires IS NULL
           AND EXISTS (SELECT FROM log WHERE log.stream = $2 || claim.holder AND log.type = $3)`,
        [kind, stream, ending],
      );
      for (const { holder } of rows) await this.claims.releaseAll(kind, holder);
    }
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

  private async fence(claim: Claim): Promise<'fenced' | 'holder won'> {
    if (claim.kind === PROJECT_SLOT) return this.fenceSlot(claim);
    if (claim.kind === RUNNING_JOB) return (await barJob(this.runner, claim, Date.now())) === 'requested' ? 'holder won' : 'fenced';
    // A request that comes after its slot was freed runs above the bound: harmless.
    if (claim.kind === JOB_SLOT) return (await this.runner.read(jobTarget('', claim.holder))) === 'requested' ? 'holder won' : 'fenced';
    return (await this.accounts.fence(claim)) ?? 'holder won';
  }

  /** Appends a fence to the project's stream, which a late creation conflicts with. Only the owner of the project keeps a slot. */
  private async fenceSlot(claim: Claim): Promise<'fenced' | 'holder won'> {
    const context = systemContext({ kind: 'reactor', id: 'sweeper' }, Date.now(), {
      commandId: derivedId('fence', claim.kind, claim.key, claim.holder),
    });
    const { state } = await this.runner.run(projectTarget(claim.holder), context, (project) => abandonCreation(project, claim.key));
    return state.kind === 'open' && String(state.payerId) === ownerOf(claim.key) ? 'holder won' : 'fenced';
  }
}
