import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaveChromium, openFile } from '../../../../test/support/chromium.ts';
import { signer } from '../../../../test/support/sealed-log.ts';
import { octoberFile, octoberLog } from '../../../../test/support/statement-world.ts';
import { builtVerifier } from '../../../../test/support/verifier-bundle.ts';
import { canonicalJson } from '../../../client/proofs/canonical-json.ts';
import type { SignedStatement } from '../document.ts';
import { nodePlatform } from '../node-platform.ts';
import { joinFile, type StatementFile } from '../page/page-file.ts';
import { renderPage } from '../page/render-page.ts';

const from = Date.UTC(2026, 9, 20);
let folder: string;
let file: StatementFile;
let html: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-statement-'));
  file = await octoberFile(octoberLog({ outages: [{ from, to: from + 60_000, state: 'down', reason: 'refused' }] }), builtVerifier());
  html = joinFile(file);
});
afterAll(async () => {
  await leaveChromium();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly said: string;
  readonly shown: string;
  readonly requests: readonly string[];
  readonly errors: readonly string[];
}

/** What a browser without a network says when it opens the file from the disk. */
async function opened(text: string): Promise<Opened> {
  const path = join(folder, 'statement.html');
  writeFileSync(path, text);
  const { page, requests, errors } = await openFile(path);
  await page.waitForFunction(`document.querySelector('.verdict.equal, .verdict.different') !== null`);
  const textOf = async (selector: string): Promise<string> =>
    String(await page.evaluate(`document.querySelector('${selector}').textContent`));
  const [said, shown] = [await textOf('#verdict'), await textOf('h1')];
  await page.close();
  return { said, shown, requests, errors };
}

const edited = (edit: (copy: SignedStatement) => unknown): string => {
  const copy = JSON.parse(file.text) as SignedStatement;
  edit(copy);
  return joinFile({ ...file, text: `${canonicalJson(copy)}\n` });
};

describe('a statement that is opened in a browser without a network', () => {
  it('verifies itself, makes no request and names the key', async () => {
    const { said, shown, requests, errors } = await opened(html);
    expect([requests, errors]).toEqual([[], []]);
    expect(said).toMatch(/^✓ Equal\./);
    expect(said).toContain(signer.verifierKey);
    expect(shown).toBe('Shop <b>&amp;</b> was available 99.997 % of October 2026.');
  });

  it.each([
    [
      'an edited figure of the page',
      () => html.replace('99.997 %</td>', '99.999 %</td>'),
      'page, Figures, Availability: the page says "99.999 %", the data gives "99.997 %"',
    ],
    ['an edited figure of the picture', () => html.replace('class="down" x="72"', 'class="up" x="72"'), 'page, The month: the page says'],
    ['a sentence behind the verifier', () => `${html}<p>100 %</p>`, 'the data gives'],
    ['a style of its own', () => html.replace('</style>', '.missed{display:none}</style>'), 'page, head: the page says'],
    [
      'an edited figure of the data',
      () => edited((copy) => Object.assign(copy.figures[0] ?? {}, { availability: 100 })),
      'figures.0.availability: the statement says 100, the evidence gives 99.997',
    ],
    ['an edited interval', () => edited((copy) => Object.assign(copy.days[2]?.intervals[0] ?? [], [0, 1, 'up'])), 'days.2.intervals.0'],
    [
      'a changed proof',
      () => edited((copy) => Object.assign(copy.evidence.hashes, [copy.evidence.hashes[1]])),
      'is not in the log in this form',
    ],
    [
      'a changed signature',
      () => edited((copy) => Object.assign(copy, { signature: signer.signatureLine('another text\n') })),
      'are not both signed by a key',
    ],
    [
      'a removed day',
      () => edited((copy) => (copy.days as object[]).splice(14, 1)),
      'days.14.day: the statement says "2026-10-16", the evidence gives "2026-10-15"',
    ],
    ['a changed title', () => edited((copy) => Object.assign(copy.project, { title: 'Other' })), 'are not both signed by a key'],
    ['a page that was not signed', () => joinFile({ ...file, page: pageOfAnother() }), 'is not the one that was signed'],
  ])('names %s', async (_, change, difference) => {
    const changed = change();
    expect(changed).not.toBe(html);
    const { said, requests } = await opened(changed);
    expect(said).toMatch(/^▲ Not equal\./);
    expect(said).toContain(difference);
    expect(requests).toEqual([]);
  });
});

/** With another verifier, which the policy of the file allows. */
const pageOfAnother = (): StatementFile['page'] =>
  renderPage(JSON.parse(file.text) as SignedStatement, `${builtVerifier()}\n// changed`, nodePlatform);
