import { beforeAll, describe, expect, it } from '@jest/globals';
import { octoberFile, octoberLog } from '../../../../test/support/statement-world.ts';
import { signer, verifierKey } from '../../../../test/support/sealed-log.ts';
import { canonicalJson } from '../../../client/proofs/canonical-json.ts';
import type { SignedStatement } from '../document.ts';
import { nodePlatform } from '../node-platform.ts';
import { joinFile, pageSha256, type StatementFile } from '../page/page-file.ts';
import type { CliOutput } from '../../../platform/cli/command.ts';
import { verifyStatementPage } from './verify-statement-page.ts';

const VERIFIER = 'let verifier = 1;';
const from = Date.UTC(2026, 9, 20);
let file: StatementFile;
let html: string;
beforeAll(async () => {
  file = await octoberFile(octoberLog({ outages: [{ from, to: from + 60_000, state: 'down', reason: 'refused' }] }), VERIFIER);
  html = joinFile(file);
});

async function verified(given: string, verifier = VERIFIER): Promise<readonly [status: number, said: string]> {
  let said = '';
  const result: CliOutput['result'] = (_, words) => {
    said = typeof words === 'string' ? words : words();
  };
  return [await verifyStatementPage(given, { keys: [verifierKey], policy: null }, { result } as CliOutput, verifier), said];
}

/** As an operator signs it who wants to deceive. */
function signedAgain(page: StatementFile['page']): string {
  const { signature: _, ...document } = JSON.parse(file.text) as SignedStatement;
  const changed = { ...document, pageSha256: pageSha256(page, nodePlatform) };
  const signature = signer.signatureLine(`${canonicalJson(changed)}\n`);
  return joinFile({ page, text: `${canonicalJson({ ...changed, signature })}\n` });
}

describe('watchledger verify STATEMENT.html', () => {
  it('says equal, and that the page says what the data says', async () => {
    const [status, said] = await verified(html);
    expect([status, said]).toEqual([0, expect.stringMatching(/^Equal: statement of .+standard 99\.997 %.+the verifier in it is ours\.$/s)]);
  });

  it('names an edited figure of the page with its line', async () => {
    const [status, said] = await verified(html.replace('99.997 %</td>', '99.999 %</td>'));
    expect([status, said]).toEqual([
      1,
      expect.stringMatching(/^NOT EQUAL: page, line \d+: the page says ".*99\.999 %.*", the data gives ".*99\.997 %/),
    ]);
  });

  it('refuses a replaced verifier', async () => {
    const replaced = html.replace(VERIFIER, 'let verifier = 2;');
    expect(await verified(replaced)).toEqual([
      1,
      'NOT EQUAL: verifier: the verifier in this file is not ours; do not rely on what it says',
    ]);
  });

  it('refuses what follows the verifier', async () => {
    expect(await verified(html.replace('</body>', '<p>100 %</p></body>'))).toEqual([
      1,
      expect.stringContaining('the page says "<p>100 %</p>'),
    ]);
  });

  it('says plainly that a signed page of another version was not compared with its data', async () => {
    const deceiving = signedAgain({ ...file.page, before: file.page.before.replaceAll('99.997 %', '99.999 %') });
    for (const given of [verified(deceiving), verified(html, 'a later verifier')])
      expect(await given).toEqual([
        0,
        expect.stringMatching(/standard 99\.997 %.+\nNote: .+not those of this version.+rely on the figures above\.$/s),
      ]);
  });

  it('notices a change of any byte', async () => {
    const step = Math.floor(html.length / 40);
    for (let place = 20; place < html.length; place += step) {
      const changed = `${html.slice(0, place)}${html[place] === 'x' ? 'y' : 'x'}${html.slice(place + 1)}`;
      expect([place, ...(await verified(changed))]).toEqual([place, 1, expect.stringContaining('NOT EQUAL: ')]);
    }
  });
});
