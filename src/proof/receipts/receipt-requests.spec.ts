import { describe, expect, it } from '@jest/globals';
import { RECEIPT_COMPONENTS } from '../../client/proofs/receipt/receipt-components.ts';
import { identifierOf } from '../../client/proofs/receipt/signature-base.ts';
import { readAcceptSignature } from './receipt-requests.ts';

const ALL = RECEIPT_COMPONENTS.map(identifierOf).join(' ');

describe('Accept-Signature', () => {
  it('covers all that a receipt needs where it lists nothing', () => {
    expect(readAcceptSignature('receipt=()')).toEqual({
      label: 'receipt',
      components: RECEIPT_COMPONENTS,
      keyid: null,
      nonce: null,
      tag: null,
    });
  });

  it('covers exactly the components that it lists, in their order', () => {
    const reversed = ALL.split(' ').toReversed();
    const { components, nonce, tag, keyid } = readAcceptSignature(
      `sig1=(${reversed.join(' ')} "etag");created;alg="ed25519";nonce="n";tag="t";keyid="k"`,
    );
    expect(components.map(identifierOf)).toEqual([...reversed, '"etag"']);
    expect({ nonce, tag, keyid }).toEqual({ nonce: 'n', tag: 't', keyid: 'k' });
  });

  it.each([
    ['', 'must be a label with a list of components'],
    ['receipt', 'must be a label with a list of components'],
    ['receipt=("date"', 'must be a label with a list of components'],
    ['a=(), b=()', 'must ask for one signature'],
    [`${'a'.repeat(65)}=()`, 'at most 64 characters'],
    ['a=("@status")', '"@method";req must be covered'],
    [`a=(${ALL} "cookie")`, '"cookie" cannot be covered'],
    [`a=(${ALL} "date")`, 'listed twice'],
    [`a=(${ALL} "x";sf)`, 'another parameter than req'],
    ['a=();expires', 'a receipt does not expire'],
    ['a=();created=1618884475', 'created must be without a value'],
    ['a=();alg="rsa-pss-sha512"', 'alg must be "ed25519"'],
    ['a=();color="red"', 'color is not supported'],
    ['a=();nonce=1', 'nonce must be a string'],
    [`a=();tag="${'t'.repeat(257)}"`, 'at most 256 characters'],
  ])('refuses %j', (field, reason) => {
    expect(() => readAcceptSignature(field)).toThrow(reason);
  });
});
