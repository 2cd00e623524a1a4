import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';
import { Ledger } from '../seal/ledger.ts';
import type { ReceiptRequests } from '../../accounts/rights/request-right.ts';
import { receiptSlot } from './sign-answers.ts';
import { isChangingGet } from '../../platform/http/context/request-context.ts';
import type { AskedSignature } from './sign-receipt.ts';
import { coverProblem, RECEIPT_COMPONENTS } from '../../client/proofs/receipt/receipt-components.ts';
import { type Component, componentOf, identifierOf } from '../../client/proofs/receipt/signature-base.ts';
import { isInnerList, type Item, type Params, parseDictionary } from '../../client/proofs/receipt/structured-field.ts';

interface AcceptedSignature extends AskedSignature {
  /** Null when every key of the installation signs. */
  readonly keyid: string | null;
}

const MAX_LABEL = 64;
const MAX_TEXT = 256;
const PARAMS = ['created', 'keyid', 'alg', 'nonce', 'tag'];

/** The signature that `Accept-Signature` asks for (RFC 9421, section 5). Throws `InvalidInput` where no receipt would have it. */
export function readAcceptSignature(field: string): AcceptedSignature {
  const members = parseDictionary(field);
  const [member, ...more] = members ?? [];
  if (member === undefined || !isInnerList(member[1]))
    throw new InvalidInput('Accept-Signature: must be a label with a list of components (RFC 9421, section 5), such as receipt=()');
  if (more.length > 0) throw new InvalidInput('Accept-Signature: must ask for one signature');
  const [label, { items, params }] = member;
  if (label.length > MAX_LABEL) throw new InvalidInput(`Accept-Signature: the label must have at most ${String(MAX_LABEL)} characters`);
  return { label, components: componentsOf(items), ...paramsOf(params) };
}

/** In the order of the request; an empty list leaves the choice to the service. */
function componentsOf(items: readonly Item[]): readonly Component[] {
  if (items.length === 0) return RECEIPT_COMPONENTS;
  const components = items.map(componentOf).filter((component) => component !== null);
  const problem = components.length < items.length ? 'a component has another parameter than req' : coverProblem(components);
  if (problem === null) return components;
  throw new InvalidInput(`Accept-Signature: ${problem}; an empty list covers all that a receipt needs`, {
    allowed: RECEIPT_COMPONENTS.map(identifierOf),
  });
}

function paramsOf(params: Params): Pick<AcceptedSignature, 'keyid' | 'nonce' | 'tag'> {
  for (const name of params.keys())
    if (!PARAMS.includes(name)) {
      const why = name === 'expires' ? 'a receipt does not expire' : `${name} is not supported`;
      throw new InvalidInput(`Accept-Signature: ${why}`, { allowed: PARAMS });
    }
  const created = params.get('created') ?? true;
  if (created !== true) throw new InvalidInput('Accept-Signature: created must be without a value');
  if ((params.get('alg') ?? 'ed25519') !== 'ed25519')
    throw new InvalidInput('Accept-Signature: alg must be "ed25519"', { allowed: ['ed25519'] });
  return { keyid: textOf(params, 'keyid'), nonce: textOf(params, 'nonce'), tag: textOf(params, 'tag') };
}

function textOf(params: Params, name: string): string | null {
  const value = params.get(name) ?? null;
  if (value === null || (typeof value === 'string' && value.length <= MAX_TEXT)) return value;
  throw new InvalidInput(`Accept-Signature: ${name} must be a string of at most ${String(MAX_TEXT)} characters`);
}

/** A key whose name a header cannot hold signs no receipts. */
const PRINTABLE = /^[ -~]*$/;

/** Reads `Accept-Signature` before anything is computed, so that no GET is answered 200 without the signature that it asks for. */
@Injectable()
export class SignedReceipts implements ReceiptRequests {
  constructor(@Inject(Ledger) private readonly ledger: Pick<Ledger, 'receiptSigners'>) {}

  /** Null as well for a request that changes something, or is a HEAD, which has no content to sign. */
  timeOf(request: FastifyRequest): Promise<number> | null {
    const field = request.headers['accept-signature'];
    if (field === undefined || request.method !== 'GET' || isChangingGet(request.routeOptions.url)) return null;
    return this.accept(request, [field].flat().join(', '));
  }

  private async accept(request: FastifyRequest, field: string): Promise<number> {
    const { keyid, ...asked } = readAcceptSignature(field);
    const active = (await this.ledger.receiptSigners()).filter(({ verifierKey }) => PRINTABLE.test(verifierKey));
    const signers = keyid === null ? active : active.filter(({ verifierKey }) => verifierKey === keyid);
    if (signers.length === 0) {
      const allowed = active.map(({ verifierKey }) => verifierKey);
      throw new InvalidInput('Accept-Signature: keyid is not a verifier key that signs here', { allowed });
    }
    const at = Date.now();
    receiptSlot.set(request, { asked, signers, at });
    return at;
  }
}
