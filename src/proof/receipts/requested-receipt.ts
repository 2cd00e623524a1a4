import { RequestSlot } from '../../platform/http/context/request-slot.ts';
import type { Signer } from '../seal/signer.ts';
import type { AskedSignature } from './sign-receipt.ts';

/** The signature over the answer that the request asks for (docs/spec/beyond.md#B22). */
export interface RequestedReceipt {
  readonly asked: AskedSignature;
  readonly signers: readonly Signer[];
  /** Milliseconds: when it was asked. */
  readonly at: number;
}

export const receiptSlot = new RequestSlot<RequestedReceipt>('receipt');
