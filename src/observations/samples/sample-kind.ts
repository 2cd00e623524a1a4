import type { PackKind } from '../packs/pack-kind.ts';
import { packSamples, unpackSamples } from './sample.codec.ts';
import { inOrder, type Sample } from './sample.ts';

export const sampleKind: PackKind<Sample> = { name: 'sample', pack: packSamples, unpack: unpackSamples, inOrder };
