import type { SealedEvent } from '../../client/proofs/leaf.ts';
import type { PackedEvidence, StreamExtent } from './document.ts';

export interface ProvenEvent {
  readonly index: number;
  readonly leaf: string;
  /** Hashes in base64, from the leaf up. */
  readonly path: readonly string[];
}

/** Neighbouring events share most of their path: each hash is written once. */
export function packEvidence(events: readonly ProvenEvent[]): PackedEvidence {
  const numbers = new Map<string, number>();
  const numberOf = (hash: string): number => {
    const known = numbers.get(hash) ?? numbers.size;
    numbers.set(hash, known);
    return known;
  };
  const packed = events.map(({ index, leaf, path }) => ({ index, leaf, path: path.map(numberOf) }));
  return { hashes: [...numbers.keys()], events: packed };
}

/** The first and the last revision of each stream, and whether every one between them is there. */
export function streamExtents(events: readonly Pick<SealedEvent, 'stream' | 'revision'>[]): readonly StreamExtent[] {
  const streams = new Map<string, number[]>();
  for (const { stream, revision } of events) {
    const known = streams.get(stream);
    if (known === undefined) streams.set(stream, [revision]);
    else known.push(revision);
  }
  return [...streams]
    .map(([stream, revisions]) => {
      const [first, last] = [Math.min(...revisions), Math.max(...revisions)];
      const complete = new Set(revisions).size === last - first + 1;
      return { stream, first, last, events: revisions.length, complete };
    })
    .sort((one, other) => (one.stream < other.stream ? -1 : 1));
}
