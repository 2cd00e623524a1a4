/** A complete subtree: 2^height leaves, the `index`-th of its height from the left. */
export interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** Leaves from `from`, up to but excluding `to`. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** The largest complete subtrees of a range, from left to right. The range must start at a multiple of its width rounded up to a power of two. */
export function subtreesOf({ from, to }: LeafRange): readonly Subtree[] {
  const parts: Subtree[] = [];
  let at = from;
  while (at < to) {
    const height = heightWithin(to - at);
    parts.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return parts;
}

/** The height of the largest complete tree with at most this many leaves. */
function heightWithin(leaves: number): number {
  const height = Math.floor(Math.log2(leaves));
  // The logarithm of a large number may be rounded up.
  return 2 ** height > leaves ? height - 1 : height;
}

/** The largest power of two that is smaller than `size`. */
const splitOf = (size: number): number => 2 ** heightWithin(size - 1);

/** Inclusion proof: the ranges whose hashes prove that leaf `index` is in a tree of `size` (RFC 6962, section 2.1.1). */
export function inclusionRanges(index: number, size: number): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  return ranges.reverse();
}

/** Consistency proof: the ranges whose hashes prove that the tree of `size` extends the tree of `first` (RFC 6962, section 2.1.2). */
export function consistencyRanges(first: number, size: number): readonly LeafRange[] {
  if (first === 0 || first === size) return [];
  const ranges: LeafRange[] = [];
  let from = 0;
  let to = size;
  while (first !== to) {
    const middle = from + splitOf(to - from);
    if (first <= middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  if (from !== 0) ranges.push({ from, to });
  return ranges.reverse();
}
