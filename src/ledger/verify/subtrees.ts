/** A complete subtree: 2^height leaves, the `index`-th of its height from the left. */
export interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** Leaves from `from` up to, not including, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The largest complete subtrees that make up a span, from left to right. The span begins where a subtree of its whole width would. */
export function subtreesOf({ from, to }: Span): readonly Subtree[] {
  const parts: Subtree[] = [];
  let at = from;
  while (at < to) {
    const height = heightWithin(to - at);
    parts.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return parts;
}

/** Of the largest complete tree with at most so many leaves. */
function heightWithin(leaves: number): number {
  const height = Math.floor(Math.log2(leaves));
  // The logarithm of a large number may be rounded up.
  return 2 ** height > leaves ? height - 1 : height;
}

/** The largest power of two that is smaller than `size`. */
const splitOf = (size: number): number => 2 ** heightWithin(size - 1);

/** The spans whose hashes prove that leaf `index` stands in a tree of `size`: RFC 6962, section 2.1.1. */
export function inclusionSpans(index: number, size: number): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      spans.push({ from: middle, to });
      to = middle;
    } else {
      spans.push({ from, to: middle });
      from = middle;
    }
  }
  return spans.reverse();
}

/** The spans whose hashes prove that the tree of `size` only adds to the tree of `first`: RFC 6962, section 2.1.2. */
export function consistencySpans(first: number, size: number): readonly Span[] {
  if (first === 0 || first === size) return [];
  const spans: Span[] = [];
  let from = 0;
  let to = size;
  while (first !== to) {
    const middle = from + splitOf(to - from);
    if (first <= middle) {
      spans.push({ from: middle, to });
      to = middle;
    } else {
      spans.push({ from, to: middle });
      from = middle;
    }
  }
  if (from !== 0) spans.push({ from, to });
  return spans.reverse();
}
