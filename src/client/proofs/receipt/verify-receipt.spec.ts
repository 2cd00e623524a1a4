import { describe, expect, it } from '@jest/globals';
import { RECEIPT_SIGNER, RECEIPT_TIME, signedReceipt } from '../../../../test/support/signed-receipt.ts';
import { createSigner } from '../../../proof/seal/signer.ts';
import { parseVerifierKey } from '../signed-note.ts';
import { RECEIPT_COMPONENTS } from './receipt-components.ts';
import type { ReceiptFile } from './receipt-file.ts';
import { verifyReceipt } from './verify-receipt.ts';

const key = parseVerifierKey(RECEIPT_SIGNER.verifierKey);
const newer = createSigner('shop.example/api/ledger', Buffer.alloc(32, 8));
const reasonOf = (text: string, keys = [key], now = RECEIPT_TIME): string | null => {
  const verdict = verifyReceipt(text, keys, now);
  return verdict.kind === 'signed' ? null : verdict.reason;
};
const withHeaders =
  (changed: Readonly<Record<string, string>>) =>
  (file: ReceiptFile): ReceiptFile => ({ ...file, response: { ...file.response, headers: { ...file.response.headers, ...changed } } });

describe('a receipt', () => {
  it('is signed by a given key, over request, answer and position', () => {
    const verdict = verifyReceipt(signedReceipt({ asked: { nonce: 'n"1', tag: 'audit' } }), [key], RECEIPT_TIME);
    expect(verdict).toMatchObject({
      kind: 'signed',
      receipt: {
        file: { request: { '@authority': 'shop.example', '@path': '/api/project/1/simple-status', '@query': '?limit=5' } },
        ...{ position: 4711, statement: { statementOf: 'log', account: 7, rightsAsOf: 4711, program: '0.1.0' }, unknownKeys: [] },
      },
    });
  });

  it('may cover the target as a whole', () => {
    const components = [
      { name: '@target-uri', isOfRequest: true },
      ...RECEIPT_COMPONENTS.filter(({ name }) => !['@authority', '@path', '@query'].includes(name)),
    ];
    expect(reasonOf(signedReceipt({ asked: { components } }))).toBeNull();
  });

  it('is refused with any of its bytes changed', () => {
    const bytes = Buffer.from(signedReceipt());
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect([at, reasonOf(changed.toString('latin1'))]).toEqual([at, expect.any(String)]);
    }
    expect(reasonOf(`${bytes.toString()} `)).toContain('canonical');
    expect(reasonOf(bytes.subarray(0, -1).toString())).toContain('canonical');
  });

  it('names what was changed', () => {
    const refused = (change: (file: ReceiptFile) => ReceiptFile): string | null => reasonOf(signedReceipt({ change }));
    expect(refused((file) => ({ ...file, body: Buffer.from('{"total":1,"failed":1}').toString('base64') }))).toContain(
      'the body was changed',
    );
    expect(refused(withHeaders({ 'watchledger-as-of': '4712' }))).toContain('not over this request and answer');
    expect(refused(withHeaders({ 'x-more': '1' }))).toBe('x-more is not covered by the signature receipt');
    expect(refused((file) => ({ ...file, request: { ...file.request, '@scheme': 'https' } }))).toContain('@scheme is not covered');
    expect(refused(withHeaders({ signature: 'other=:AQI=:' }))).toContain('other labels');
  });

  it('is refused when it covers less than a receipt does', () => {
    for (const left of RECEIPT_COMPONENTS) {
      const components = RECEIPT_COMPONENTS.filter((component) => component !== left);
      expect(reasonOf(signedReceipt({ asked: { components } }))).toContain('must be covered');
    }
  });

  it('is refused without a given key, which it names', () => {
    expect(reasonOf(signedReceipt(), [parseVerifierKey(newer.verifierKey)])).toContain(RECEIPT_SIGNER.verifierKey);
    expect(reasonOf(signedReceipt({ signers: [createSigner('other.example/api/ledger', Buffer.alloc(32, 7))] }))).toContain(
      'other.example',
    );
  });

  it('is accepted with either key of a rotation, and refused with one of both signatures changed', () => {
    const signers = [newer, RECEIPT_SIGNER];
    expect(reasonOf(signedReceipt({ signers }))).toBeNull();
    expect(reasonOf(signedReceipt({ signers }), [parseVerifierKey(newer.verifierKey)])).toBeNull();
    const changed = signedReceipt({
      signers,
      change: (file) =>
        withHeaders({ signature: (file.response.headers['signature'] ?? '').replace(/receipt-2=:.*:/, `receipt-2=:${'A'.repeat(86)}==:`) })(
          file,
        ),
    });
    expect(reasonOf(changed, [parseVerifierKey(newer.verifierKey)])).toContain('receipt-2');
  });

  it('is refused when it was made in the future', () => {
    expect(reasonOf(signedReceipt({ created: RECEIPT_TIME / 1000 + 301 }))).toContain('is in the future');
    expect(reasonOf(signedReceipt({ created: RECEIPT_TIME / 1000 + 299 }))).toBeNull();
  });

  it('is no note, and no note is a receipt', () => {
    expect(() => RECEIPT_SIGNER.messageSignature('shop.example/api/ledger\n5\nroot\n')).toThrow('line feed');
  });
});
