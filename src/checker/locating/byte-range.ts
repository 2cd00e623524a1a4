/** Bytes of a page, the end excluded, and the line in which they begin, counted from 1. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
  readonly line: number;
}
