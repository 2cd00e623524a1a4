import type pg from 'pg';
import type { Claim, Claims } from '../../platform/postgres/claims.ts';
import { systemContext } from '../../platform/commands/context.ts';
import type { CommandRunner } from '../../platform/commands/command-runner.ts';
import { PROJECT_SLOT } from '../../projects/project-slot.ts';
import { abandonCreation } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { derivedId } from '../../kernel/ids.ts';

/** The owner whose plan limit the slot counts against. */
const ownerOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** Releases project slots that a crash left behind: of a creation or transfer that never happened, or of the owner before a transfer. */
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
