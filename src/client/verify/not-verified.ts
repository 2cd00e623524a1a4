/** An answer or a proof that does not show what it states. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified';
}
