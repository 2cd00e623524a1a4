import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';
import { Ledger } from '../seal/ledger.ts';
import type { RequestedReceipt } from '../../platform/http/context/request-state.ts';
import { isChangingGet } from '../../platform/http/context/request-context.ts';
import { readAcceptSignature } from './accept-signature.ts';

/** A key whose name a header cannot hold signs no receipts. */
const PRINTABLE = /^[ -~]*$/;

/** Reads `Accept-Signature` before anything is computed, so that no GET is answered 200 without the signature that it asks for. */
@Injectable()
export class ReceiptRequests {
  constructor(@Inject(Ledger) private readonly ledger: Pick<Ledger, 'receiptSigners'>) {}

  /** Undefined: the request asks for none, or changes something, or is a HEAD, which has no content to sign. */
  async of({ method, headers, routeOptions: { url } }: FastifyRequest): Promise<RequestedReceipt | undefined> {
    const field = headers['accept-signature'];
    if (field === undefined || method !== 'GET' || isChangingGet(url)) return undefined;
    const { keyid, ...asked } = readAcceptSignature([field].flat().join(', '));
    const active = (await this.ledger.receiptSigners()).filter(({ verifierKey }) => PRINTABLE.test(verifierKey));
    const signers = keyid === null ? active : active.filter(({ verifierKey }) => verifierKey === keyid);
    if (signers.length === 0) {
      const allowed = active.map(({ verifierKey }) => verifierKey);
      throw new InvalidInput('Accept-Signature: keyid is not a verifier key that signs here', { allowed });
    }
    return { asked, signers, at: Date.now() };
  }
}
