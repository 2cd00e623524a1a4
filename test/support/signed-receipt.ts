import { type AnswerToSign, type AskedSignature, signReceipt } from '../../src/proof/receipts/sign-receipt.ts';
import { createSigner, type Signer } from '../../src/proof/seal/signer.ts';
import { RECEIPT_COMPONENTS, requestComponents } from '../../src/client/proofs/receipt/receipt-components.ts';
import { formatReceiptFile, type ReceiptFile } from '../../src/client/proofs/receipt/receipt-file.ts';
import { formatStatementHeader } from '../../src/client/proofs/receipt/statement-header.ts';
import { contentDigest } from '../../src/client/proofs/receipt/verify-receipt.ts';

export const RECEIPT_SIGNER = createSigner('shop.example/api/ledger', Buffer.alloc(32, 7));
export const RECEIPT_TIME = Date.parse('2026-11-23T07:00:00Z');
const BODY = '{"total":1,"failed":0}';

/** The signed answer to a GET as its file; `change` is made after signing. */
export function signedReceipt({
  signers = [RECEIPT_SIGNER],
  asked = {},
  created = RECEIPT_TIME / 1000,
  change = (file) => file,
}: {
  readonly signers?: readonly Signer[];
  readonly asked?: Partial<AskedSignature>;
  readonly created?: number;
  readonly change?: (file: ReceiptFile) => ReceiptFile;
} = {}): string {
  const request = { method: 'GET', scheme: 'https', authority: 'Shop.example:443', target: '/api/project/1/simple-status?limit=5' };
  const headers = {
    'content-digest': contentDigest(BODY),
    'content-type': 'application/json; charset=utf-8',
    date: 'Mon, 23 Nov 2026 07:00:00 GMT',
    'watchledger-as-of': '4711',
    'watchledger-receipt': formatStatementHeader({
      ...{ statementOf: 'log', at: '2026-11-23T07:00:00.000Z', account: 7, rightsAsOf: 4711, program: '0.1.0' },
    }),
  };
  const answer: AnswerToSign = { request, status: 200, headers, created };
  const signed = signReceipt({ label: 'receipt', components: RECEIPT_COMPONENTS, nonce: null, tag: null, ...asked }, signers, answer);
  const { '@scheme': scheme, '@target-uri': uri, ...shown } = requestComponents(request);
  const isWhole = asked.components?.some(({ name }) => name === '@target-uri') ?? false;
  return formatReceiptFile(
    change({
      body: Buffer.from(BODY).toString('base64'),
      request: isWhole ? { '@method': 'GET', '@target-uri': uri ?? '' } : shown,
      response: { status: 200, headers: { ...headers, ...signed } },
    }),
  );
}
