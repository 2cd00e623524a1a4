import type { Parts } from '../../app/parts.ts';
import { systemContext } from '../../commands/context.ts';
import { DeclareTruncated } from '../../commands/system.commands.ts';
import { measureTruncation } from '../../ledger/sealer/truncation.ts';
import type { KnownCheckpoint } from '../../ledger/equivocation/known-checkpoint.ts';
import { TileTree } from '../../ledger/verify/tile-tree.ts';
import type { Truncation } from '../../ledger/verify/truncation.ts';
import type { CliAction } from '../command.ts';
import { confirm } from '../terminal.ts';
import { withParts } from '../with-parts.ts';
import { givenCheckpoint, knownCheckpoints } from './known-checkpoints.ts';

export const declareLoss: CliAction = {
  about: 'After a restore or a failover: declare in the log, for every reader, that sealed events are lost, so that sealing continues',
  options: {
    checkpoint: {
      type: 'string',
      value: 'FILE',
      about: 'a checkpoint kept elsewhere, such as by a witness, to which the log no longer leads',
    },
    reason: { type: 'string', value: 'TEXT', about: 'the reason, recorded in the log' },
    yes: { type: 'boolean', about: 'do not ask for confirmation' },
  },
  run: ({ input, output, config: read }) => {
    const config = read();
    return withParts(config, output, async (parts) => {
      const file = input.text('checkpoint');
      const given = file === undefined ? [] : [await givenCheckpoint(parts, file)];
      const losses = await lossesOf(parts, [...given, ...(await knownCheckpoints(parts, config, output))]);
      if (losses.length === 0) {
        output.result(
          { declared: false },
          'Nothing is lost: every sealed event is present and unchanged, as far as the known checkpoints reach.',
        );
        return 0;
      }
      const summary = losses.map(({ loss }) => describe(loss)).join('\n');
      if (!(input.flag('yes') || (await confirm(`${summary}. Declare this in the log?`)))) return 1;
      const reason = input.text('reason') ?? 'restored';
      for (const { loss, known } of losses) {
        await parts.commands.execute(new DeclareTruncated(systemContext({ kind: 'cli', id: 'seal' }, Date.now()), { ...loss, reason }));
        // The sealer lists the lost checkpoint with the others.
        if (known !== null) await parts.seal.store.addEvidence(known);
      }
      const [first] = losses;
      output.result({ declared: true, ...first?.loss, reason, losses: losses.map(({ loss }) => loss) }, `Declared: ${summary}.`);
      return 0;
    });
  },
};

interface Loss {
  readonly loss: Truncation;
  /** Null: the tiles of this database show it. */
  readonly known: KnownCheckpoint | null;
}

/** What the tiles show to be missing, and each signed checkpoint that is not of this history. */
async function lossesOf({ seal, log }: Pick<Parts, 'seal' | 'log'>, checkpoints: readonly KnownCheckpoint[]): Promise<readonly Loss[]> {
  const sealed = (await seal.store.state())?.size ?? 0;
  const measured = await measureTruncation(log, new TileTree(seal.store.readTiles), sealed);
  const lost = new Map<string, Loss>();
  for (const known of checkpoints) {
    const loss = await seal.guard.lossOf(known);
    if (loss !== null) lost.set(loss.checkpoint, { loss, known });
  }
  return [...(measured === null ? [] : [{ loss: measured, known: null }]), ...lost.values()];
}

const describe = ({ from, to, checkpoint }: Truncation): string =>
  checkpoint === undefined
    ? `${String(from - to)} sealed events, from ${String(to)} on, are missing`
    : `the checkpoint over ${String(from)} events was signed, and nothing behind event ${String(to)} is proven to be of it`;
