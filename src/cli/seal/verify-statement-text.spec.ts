import { beforeAll, describe, expect, it } from '@jest/globals';
import { octoberLog, octoberStatement } from '../../../test/support/statement-world.ts';
import { verifierKey } from '../../../test/support/sealed-log.ts';
import { canonicalJson } from '../../ledger/verify/canonical-json.ts';
import { createSigner } from '../../ledger/signer.ts';
import { parseVerifierKey, type VerifierKey } from '../../ledger/verify/signed-note.ts';
import type { SignedStatement } from '../../statement/document.ts';
import type { CliOutput } from '../command.ts';
import { verifyStatementText } from './verify-statement-text.ts';

const from = Date.UTC(2026, 9, 20);
let text: string;
beforeAll(async () => {
  text = await octoberStatement(octoberLog({ outages: [{ from, to: from + 60_000, state: 'down', reason: 'refused' }] }));
});

async function verified(given: string, keys: readonly VerifierKey[] = [verifierKey]): Promise<readonly [status: number, said: string]> {
  let said = '';
  const result: CliOutput['result'] = (_, words) => {
    said = typeof words === 'string' ? words : words();
  };
  return [await verifyStatementText(given, { keys, policy: null }, { result } as CliOutput), said];
}

const edited = (change: Partial<SignedStatement>): string => `${canonicalJson({ ...(JSON.parse(text) as SignedStatement), ...change })}\n`;

describe('watchledger verify STATEMENT', () => {
  it('says equal, with the figures', async () => {
    const [status, said] = await verified(text);
    expect([status, said]).toEqual([0, expect.stringMatching(/^Equal: statement of Shop .+, 2026-10: standard 99.997 %\./)]);
  });

  it('refuses another key, and what only the signature covers', async () => {
    const other = parseVerifierKey(createSigner('watchledger.test/ledger', Buffer.alloc(32, 7)).verifierKey);
    expect(await verified(text, [other])).toEqual([1, 'NOT EQUAL: the checkpoint was not signed by a given key']);
    const { project } = JSON.parse(text) as SignedStatement;
    for (const change of [{ project: { ...project, title: 'Other' } }, { generatedAt: '2026-12-01T00:00:00.000Z' }, { extra: 1 }])
      expect(await verified(edited(change))).toEqual([1, expect.stringContaining('NOT EQUAL: what no event proves')]);
  });

  it('notices a change of any byte', async () => {
    const step = Math.floor(text.length / 60);
    for (let place = 3; place < text.length; place += step) {
      const changed = `${text.slice(0, place)}${text[place] === 'x' ? 'y' : 'x'}${text.slice(place + 1)}`;
      expect([place, ...(await verified(changed))]).toEqual([place, 1, expect.stringContaining('NOT EQUAL: ')]);
    }
  });
});
