export interface Patience {
  /** One try of an append or a read; the server may still carry it out later. */
  readonly attemptMs: number;
  /** All tries together; a cluster needs 2 to 6 s to elect a new leader. */
  readonly deadlineMs: number;
  /** A follower that heard nothing for so long compares its place with the head of the server. */
  readonly silenceMs: number;
  /** How long a server may lack the event that a follower stands on before it counts as another server. */
  readonly identityMs: number;
}

export const DEFAULT_PATIENCE: Patience = { attemptMs: 3_000, deadlineMs: 10_000, silenceMs: 5_000, identityMs: 15_000 };
