import type { Signer } from '../seal/signer.ts';
import { requestComponents, type AskedTarget } from '../../client/proofs/receipt/receipt-components.ts';
import { type Component, itemOf, signatureBase } from '../../client/proofs/receipt/signature-base.ts';
import { type BareItem, type InnerList, type Item, serializeDictionary } from '../../client/proofs/receipt/structured-field.ts';

/** The signature that a request asks for. */
export interface AskedSignature {
  readonly label: string;
  readonly components: readonly Component[];
  readonly nonce: string | null;
  readonly tag: string | null;
}

/** What is signed: the request that is answered, and the answer with its header fields in lower case. */
export interface AnswerToSign {
  readonly request: AskedTarget;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds since 1970. */
  readonly created: number;
}

/** The fields `Signature-Input` and `Signature`: one signature by each key, so that verifiers of the old and of the new one accept it during a rotation. */
export function signReceipt(
  { label, components, nonce, tag }: AskedSignature,
  signers: readonly Signer[],
  answer: AnswerToSign,
): { readonly 'signature-input': string; readonly signature: string } {
  const asked = requestComponents(answer.request);
  const answered: Readonly<Record<string, string>> = { ...answer.headers, '@status': String(answer.status) };
  const items = components.map(itemOf);
  const inputs = new Map<string, InnerList>();
  const signatures = new Map<string, Item>();
  for (const [index, signer] of signers.entries()) {
    const params = new Map<string, BareItem>([
      ['created', answer.created],
      ['keyid', signer.verifierKey],
      ['alg', 'ed25519'],
      ...(nonce === null ? [] : [['nonce', nonce] as const]),
      ...(tag === null ? [] : [['tag', tag] as const]),
    ]);
    const input: InnerList = { items, params };
    const base = signatureBase(input, ({ name, isOfRequest }) => (isOfRequest ? asked : answered)[name]);
    if (base === null) throw new Error('a component of the receipt has no value');
    const own = index === 0 ? label : `${label}-${String(index + 1)}`;
    inputs.set(own, input);
    signatures.set(own, { value: signer.messageSignature(base), params: new Map() });
  }
  return { 'signature-input': serializeDictionary(inputs), signature: serializeDictionary(signatures) };
}
