import type { Parts } from '../../app/parts.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { DeclareTruncated } from '../../history/system.commands.ts';
import { declarationsIn, findDeclared, isDeclaredWith, measureTruncation } from '../seal/sealer/truncation.ts';
import type { KnownCheckpoint } from '../seal/equivocation/checkpoint-file.ts';
import { originAt } from '../../client/proofs/origin.ts';
import { TileTree } from '../../client/proofs/tile-tree.ts';
import { generationAfter, type Truncation } from '../../client/proofs/truncation.ts';
import type { CliAction } from '../../platform/cli/command.ts';
import { confirm } from '../../platform/cli/terminal.ts';
import { withParts } from '../../app/with-parts.ts';
import { givenCheckpoint, knownCheckpoints } from './known-checkpoints.ts';

export const declareLoss: CliAction = {
  about:
    'After a restore or a failover: declare in the log, for every reader, that sealed events are lost, so that sealing continues, under another origin',
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
      const checkpoints = [...given, ...(await knownCheckpoints(parts, config, output))];
      const losses = await lossesOf(parts, checkpoints);
      if (losses.length === 0) {
        output.result(
          { declared: false },
          'Nothing is lost: every sealed event is present and unchanged, as far as the known checkpoints reach, or its loss is declared.',
        );
        return 0;
      }
      const origin = await originAfter(parts, losses, checkpoints);
      const summary = [...losses.map(({ loss }) => describe(loss)), `the log continues as ${origin}, which has a key of its own`].join(
        '\n',
      );
      if (!(input.flag('yes') || (await confirm(`${summary}. Declare this in the log?`)))) return 1;
      const reason = input.text('reason') ?? 'restored';
      const last = await lastCheckpoint(parts, checkpoints);
      const stated = { reason, origin, ...(last !== null && { lastCheckpoint: last }) };
      for (const { loss, known } of losses) {
        await parts.commands.execute(
          new DeclareTruncated(systemContext({ kind: 'cli', id: 'seal' }, Date.now()), { loss: { ...loss, ...stated } }),
        );
        // The sealer lists the lost checkpoint with the others.
        if (known !== null) await parts.seal.store.addEvidence(known);
      }
      const [first] = losses;
      output.result({ declared: true, ...first?.loss, reason, origin, losses: losses.map(({ loss }) => loss) }, `Declared: ${summary}.`);
      return 0;
    });
  },
};

interface Loss {
  readonly loss: Truncation;
  /** Null when the tiles of this database show it. */
  readonly known: KnownCheckpoint | null;
}

type Needed = Pick<Parts, 'seal' | 'log'>;

/** What the tiles show to be missing, and each signed checkpoint that is not of this history, unless it is declared already. */
async function lossesOf({ seal, log }: Needed, checkpoints: readonly KnownCheckpoint[]): Promise<readonly Loss[]> {
  const { size = 0, generation = 0 } = (await seal.store.state()) ?? {};
  const isDeclared = (await findDeclared(log, { origin: seal.origin, size, generation })) !== null;
  const measured = isDeclared ? null : await measureTruncation(log, new TileTree(seal.store.readTiles), size);
  const lost = new Map<string, Loss>();
  for (const known of checkpoints) {
    const loss = (await isDeclaredWith(log, seal.origin, known)) ? null : await seal.guard.lossOf(known);
    if (loss !== null) lost.set(loss.checkpoint, { loss, known });
  }
  return [...(measured === null ? [] : [{ loss: measured, known: null }]), ...lost.values()];
}

/** The lost checkpoints of an origin that ended before need no other one. */
async function originAfter({ seal, log }: Needed, losses: readonly Loss[], checkpoints: readonly KnownCheckpoint[]): Promise<string> {
  const { generation = 0 } = (await seal.store.state()) ?? {};
  const declared: number[] = [];
  for await (const declaration of declarationsIn(log)) declared.push(generationAfter(seal.origin, declaration));
  const isOfFormer = losses.every(({ known }) => known !== null && known.generation < generation);
  const latest = Math.max(generation, ...declared, ...checkpoints.map((known) => known.generation));
  return originAt(seal.origin, isOfFormer ? generation : latest + 1);
}

/** The newest one that is known of the origin that ends. */
async function lastCheckpoint({ seal }: Needed, checkpoints: readonly KnownCheckpoint[]): Promise<string | null> {
  const current = await seal.store.currentCheckpoint();
  const [newest] = [...checkpoints, ...(current === null ? [] : [current])].toSorted(
    (one, other) => other.generation - one.generation || other.size - one.size,
  );
  return newest?.note ?? null;
}

const describe = ({ from, to, checkpoint }: Truncation): string =>
  checkpoint === undefined
    ? `${String(from - to)} sealed events, from ${String(to)} on, are missing`
    : `the checkpoint over ${String(from)} events was signed, and nothing behind event ${String(to)} is proven to be of it`;
