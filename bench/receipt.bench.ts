import { createPrivateKey, generateKeyPairSync, hash, sign } from 'node:crypto';
import { signReceipt } from '../src/proof/receipts/sign-receipt.ts';
import { createSigner } from '../src/proof/seal/signer.ts';
import { RECEIPT_COMPONENTS } from '../src/client/proofs/receipt/receipt-components.ts';
import { formatStatementHeader } from '../src/client/proofs/receipt/statement-header.ts';
import { contentDigest } from '../src/client/proofs/receipt/verify-receipt.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';

const ROUNDS = 7;
const TIMES = 2_000;
/** The size of the status of a project with ten checks. */
const BODY = 'x'.repeat(8_192);

/** CPU milliseconds for one of many. */
function costOf(work: () => void): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < TIMES; time++) work();
  const { user, system } = process.cpuUsage(before);
  return Promise.resolve((user + system) / 1_000 / TIMES);
}

const request = {
  ...{ method: 'GET', scheme: 'https', authority: 'watchledger.example' },
  target: '/api/project/5f1c2b9f6a3f5d0e9b0e4d8a/status?limit=50',
};

/** A receipt against its ceiling, an Ed25519 signature and a SHA-256 of the same body. */
const bench: Bench = async () => {
  const signer = createSigner('watchledger.example/api/ledger', Buffer.alloc(32, 1));
  const asked = { label: 'receipt', components: RECEIPT_COMPONENTS, nonce: 'b3a7', tag: null };
  const key = createPrivateKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const text = Buffer.from('y'.repeat(900));
  const { receipt, bare } = await inTurns(ROUNDS, {
    receipt: () =>
      costOf(() => {
        const headers = {
          'content-digest': contentDigest(BODY),
          'content-type': 'application/json; charset=utf-8',
          date: new Date().toUTCString(),
          'watchledger-as-of': '4711',
          'watchledger-receipt': formatStatementHeader({
            ...{ statementOf: 'log', at: new Date().toISOString(), account: 7, rightsAsOf: 4711, program: '0.1.0' },
          }),
        };
        signReceipt(asked, [signer], { request, status: 200, headers, created: Math.floor(Date.now() / 1000) });
      }),
    bare: () =>
      costOf(() => {
        hash('sha256', BODY, 'base64');
        sign(null, text, key);
      }),
  });
  return [
    figure('receipt: CPU to sign an answer', receipt, 'ms', { ceiling: bare, goal: { ratioAtMost: 2.5 } }),
    figure('receipt: CPU to sign an answer, against its goal', receipt, 'ms', { goal: { atMost: 0.2 } }),
  ];
};

export default bench;
