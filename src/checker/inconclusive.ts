/** The cause is on our side: nothing is known about the site, so this must never count against it; the attempt is repeated. */
export interface Inconclusive {
  readonly kind: 'inconclusive';
  readonly reason: string;
}

export const inconclusive = (reason: string): Inconclusive => ({ kind: 'inconclusive', reason });
