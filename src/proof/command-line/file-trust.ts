import type { TrustPolicy } from '../../client/proofs/policy.ts';
import type { VerifierKey } from '../../client/proofs/signed-note.ts';

/** What a file is verified against. */
export interface FileTrust {
  readonly keys: readonly VerifierKey[];
  /** Null when no cosignatures are needed. */
  readonly policy: TrustPolicy | null;
}

export const noQuorum = (cosigners: readonly string[]): string =>
  `the checkpoint is cosigned by ${cosigners.length === 0 ? 'no witness of the policy' : cosigners.join(', ')}, which is no quorum`;
