/** So many are kept as they came: of nearly every body all. */
const FEW = 64;
const SMALL = 4 * 1024;
const TOGETHER = 64 * 1024;

/** The bytes of a body as they come. Many small ones are copied together: each by itself would cost a hundred times its size. */
export class Pieces {
  private readonly kept: Buffer[] = [];
  private together: Buffer | undefined;
  private filled = 0;
  length = 0;

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.kept.length < FEW || piece.length >= SMALL) {
      this.spill();
      this.kept.push(piece);
      return;
    }
    if (this.filled + piece.length > TOGETHER) this.spill();
    this.together ??= Buffer.allocUnsafeSlow(TOGETHER);
    piece.copy(this.together, this.filled);
    this.filled += piece.length;
  }

  bytes(): Buffer {
    this.spill();
    const [only] = this.kept;
    return this.kept.length === 1 && only !== undefined ? only : Buffer.concat(this.kept, this.length);
  }

  clear(): void {
    this.kept.length = 0;
    this.together = undefined;
    this.filled = 0;
  }

  /** Copied, so that little of it does not keep all of it. */
  private spill(): void {
    if (this.together === undefined || this.filled === 0) return;
    this.kept.push(Buffer.from(this.together.subarray(0, this.filled)));
    this.filled = 0;
  }
}
