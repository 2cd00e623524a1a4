/** `watchledger/client/verify`: reads that check receipts and proofs as they come. */
export { NotVerified } from './client/verify/platform.ts';
export { verified, type VerifiedAnswer, VerifiedReads } from './client/verify/verified.ts';
export type { VerifiedEvent } from './client/verify/verify-proof.ts';
