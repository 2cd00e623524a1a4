import type { PackKind } from '../packs/pack-kind.ts';
import { packSamples, unpackOutcomes, unpackSamples } from './sample.codec.ts';
import { inOrder, type Outcome, type Sample } from './sample.ts';

export const sampleKind: PackKind<Sample> = { name: 'sample', pack: packSamples, unpack: unpackSamples, inOrder };

/** The same rows, read without the phases. */
export const outcomeKind: Omit<PackKind<Outcome>, 'pack'> = { name: 'sample', unpack: unpackOutcomes, inOrder };
