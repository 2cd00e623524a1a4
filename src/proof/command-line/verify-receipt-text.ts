import { type Receipt, verifyReceipt } from '../../client/proofs/receipt/verify-receipt.ts';
import type { CliOutput } from '../../platform/cli/command.ts';
import type { FileTrust } from './file-trust.ts';

/** Whether a given key signed the answer. Needs neither server nor database. */
export function verifyReceiptText(text: string, { keys, policy }: FileTrust, output: CliOutput): number {
  const verdict = verifyReceipt(text, keys, Date.now());
  const needsWitnesses = policy !== null && policy.quorum !== 'none';
  if (verdict.kind !== 'signed' || needsWitnesses) {
    const message =
      verdict.kind !== 'signed' ? verdict.reason : 'a receipt has no checkpoint, so no witness of the policy can have cosigned';
    output.result({ intact: false, finding: { kind: 'receipt', message } }, `NOT INTACT: ${message}`);
    return 1;
  }
  const { receipt } = verdict;
  const [signer] = receipt.signers;
  output.result(
    { intact: true, ...describedReceipt(receipt), key: signer?.text ?? null },
    `Intact: ${signer?.name ?? ''} gave this answer to ${inWords(receipt)}.\n${meaningOf(receipt)}`,
  );
  return 0;
}

export const describedReceipt = ({ file: { request, response }, statement, position, created }: Receipt): object => ({
  request,
  status: response.status,
  created: new Date(created * 1000).toISOString(),
  position,
  ...statement,
});

const targetOf = ({ file: { request } }: Receipt): string => {
  const { '@target-uri': uri, '@authority': authority = '', '@path': path = '', '@query': query = '' } = request;
  return uri ?? `${authority}${path}${query === '?' ? '' : query}`;
};

export const inWords = (receipt: Receipt): string =>
  `GET ${targetOf(receipt)} on ${new Date(receipt.created * 1000).toISOString()}, for account ${String(receipt.statement.account)}`;

const meaningOf = ({ statement: { statementOf, at }, position }: Receipt): string =>
  statementOf === 'log'
    ? `It is a function of the log up to position ${String(position)}, as of ${at}: \`watchledger recompute\` computes it again.`
    : `It stands on the log up to position ${String(position)} and on measurements or records beside the log, as of ${at}.`;
