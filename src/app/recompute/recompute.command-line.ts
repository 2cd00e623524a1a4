import { readFileSync } from 'node:fs';
import { verifyReceipt } from '../../client/proofs/receipt/verify-receipt.ts';
import type { CliCommand } from '../../platform/cli/command.ts';
import { recomputeReceipt } from './recompute-receipt.ts';
import { readKeys } from '../../proof/command-line/verify-file.ts';
import { withResources } from '../with-parts.ts';

export const command: CliCommand = {
  about: 'Compute the answer of a receipt again, with the log of this installation or of a restored backup, and compare; changes nothing',
  args: ['RECEIPT'],
  options: {
    key: { type: 'string', value: 'VKEY', about: 'the trusted verifier key (default: the keys that the installation lists)' },
  },
  run: async ({ input, output, config }) => {
    const [file = ''] = input.args;
    const text = readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
    const given = input.text('key');
    const keys = given === undefined ? null : readKeys(given);
    const read = config();
    return withResources(read, output, async (resources) => {
      const verdict = verifyReceipt(text, keys ?? (await resources.seal.keys.listed()), Date.now());
      if (verdict.kind !== 'signed') {
        output.result({ signed: false, finding: { kind: 'receipt', message: verdict.reason } }, `NOT INTACT: ${verdict.reason}`);
        return 1;
      }
      return recomputeReceipt(read, resources, verdict.receipt, output);
    });
  },
};
