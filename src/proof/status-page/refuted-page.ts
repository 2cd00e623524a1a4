/** A status page says what its log does not. */
export class RefutedPage extends Error {
  override readonly name = 'RefutedPage';
}
