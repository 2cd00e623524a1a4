/** An answer or a proof that does not show what it states. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified';
}

/** What a statement is read and verified with: Node's modules in the service and on the command line, the browser's own in the file. */
export interface Platform {
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** Deflate without a header (RFC 1951). */
  readonly inflate: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** Empty when the text is not base64. */
  readonly fromBase64: (text: string) => Uint8Array;
  readonly toBase64: (bytes: Uint8Array) => string;
}
