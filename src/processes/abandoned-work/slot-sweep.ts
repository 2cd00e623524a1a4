import type pg from 'pg';
import type { Claim, Claims } from '../../persistence/claims.ts';
import { systemContext } from '../../commands/context.ts';
import type { CommandRunner } from '../../commands/command-runner.ts';
import { PROJECT_SLOT } from '../../commands/project/project-slot.ts';
import { abandonCreation } from '../../domain/project/decisions.ts';
import { projectTarget } from '../../domain/project/project.ts';
import { derivedId } from '../../kernel/ids.ts';

/** The payer whose place it is. */
const payerOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** The places of projects after a crash: a creation or a transfer that never came about, a transfer that did and gave no place back. */
export class SlotSweep {
  constructor(
    private readonly pool: pg.Pool,
    private readonly claims: Claims,
    private readonly runner: CommandRunner,
  ) {}

  /** A creation that wakes up late finds the fence where its first event would stand. A place belongs to a project's payer alone. */
  async fence(claim: Claim): Promise<'fenced' | 'holder won'> {
    const context = systemContext({ kind: 'reactor', id: 'sweeper' }, Date.now(), {
      commandId: derivedId('fence', claim.kind, claim.key, claim.holder),
    });
    const { state } = await this.runner.run(projectTarget(claim.holder), context, (project) => abandonCreation(project, claim.key));
    return state.kind === 'open' && String(state.payerId) === payerOf(claim.key) ? 'holder won' : 'fenced';
  }

  /** A project that was transferred keeps no place with the payer before. */
  async releaseFormer(): Promise<void> {
    const { rows } = await this.pool.query<{ holder: string; keys: string[] }>(
      `SELECT holder, array_agg(key) AS keys FROM claim WHERE kind = $1 AND expires IS NULL GROUP BY holder HAVING count(*) > 1`,
      [PROJECT_SLOT],
    );
    for (const { holder, keys } of rows) {
      const state = await this.runner.read(projectTarget(holder));
      const former = state.kind === 'open' ? keys.filter((key) => payerOf(key) !== String(state.payerId)) : [];
      for (const key of former) await this.claims.release(PROJECT_SLOT, key, holder);
    }
  }
}
