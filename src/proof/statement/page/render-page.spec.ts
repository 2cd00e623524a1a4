import { beforeAll, describe, expect, it } from '@jest/globals';
import { MONTH_START, octoberFile, octoberLog, PROJECT } from '../../../../test/support/statement-world.ts';
import { noObjective, standardMethod } from '../../../projects/objectives/objective.settings.ts';
import type { SignedStatement } from '../document.ts';
import { nodePlatform } from '../node-platform.ts';
import { joinFile, pageSha256, splitFile, type StatementFile } from './page-file.ts';
import { policyOf, renderPage } from './render-page.ts';

const HOUR = 3_600_000;
const HOSTILE = `</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>'"&\u0000\u202e`;
const outage = { from: MONTH_START + HOUR, to: MONTH_START + 2 * HOUR, state: 'down', reason: HOSTILE } as const;
const window = {
  windowId: 'w',
  from: '2026-10-05T00:00:00.000Z',
  to: '2026-10-05T01:00:00.000Z',
  note: HOSTILE,
  repeat: null,
  offsetMinutes: 0,
};
const correction = { checkId: 'c', from: window.from, to: window.to, reason: HOSTILE, runs: 3, judged: 2, changed: 1 };
const objective = {
  ...noObjective,
  target: { percent: 99.9, window: 'month' },
  methods: [
    { ...standardMethod, name: 'ours', title: HOSTILE },
    { ...standardMethod, name: 'contract', title: 'your contract', rounding: { decimals: 2, mode: 'nearest' } },
  ],
} as const;

let file: StatementFile;
let shown: string;
beforeAll(async () => {
  const stream = `project-${PROJECT}`;
  file = await octoberFile(
    octoberLog({
      outages: [outage],
      objective,
      extra: [
        { at: MONTH_START, type: 'MaintenanceScheduled', data: window, stream },
        { at: MONTH_START + 200 * HOUR, type: 'CheckCorrected', data: correction, stream },
      ],
    }),
    'void 0;',
  );
  shown = `${file.page.before}${file.page.after}`;
});

describe('the page of a statement', () => {
  it('says the figures first, methods side by side, without any script', () => {
    const heading = /<h1>(.+)<\/h1>/.exec(shown)?.[1]?.replace(/<\/?bdi>/g, '');
    expect(heading).toContain('was available 99.865 % of October 2026 by the method');
    expect(heading).toContain(', 99.87 % by your contract; the objective of 99.9 % was missed.');
    for (const text of ['Error budget', 'Downtime by cause', '95th percentile', 'Maintenance', 'Exact intervals', 'it stands there'])
      expect(shown).toContain(text);
  });

  it('escapes every text of a person or a site', () => {
    expect(joinFile(file).match(/<script/g)).toHaveLength(2);
    for (const text of ['<img', '<!--', '\u0000']) expect(shown).not.toContain(text);
    // Method, cause, incident, window and correction.
    expect(shown.match(/&lt;img src=x onerror=alert\(1\)&gt;&#39;&quot;&amp;\ufffd\u202e<\/bdi>/g)?.length).toBeGreaterThanOrEqual(5);
  });

  it('allows its own script and style and no request', () => {
    const script = nodePlatform.toBase64(nodePlatform.sha256(Buffer.from('void 0;')));
    expect(policyOf(file.page)).toMatch(/^default-src 'none'; .*connect-src 'none'; base-uri 'none'; form-action 'none'$/);
    expect(policyOf(file.page)).toContain(`script-src 'sha256-${script}';`);
    expect(shown).not.toMatch(/<[^>]*\s(?:src|href|style|on\w+)=/);
  });

  it('draws time without measurements as not measured', async () => {
    const without = octoberLog({ outages: [] })
      .filter(({ data }) => !('day' in data) || data.day !== '2026-10-15')
      .map((event, n) => ({ ...event, n }));
    const { before } = (await octoberFile(without)).page;
    expect(before.match(/<rect fill="url\(#hatch\)" x="72" [^>]*width="688"/g)).toHaveLength(1);
    expect(before).toMatch(/ of October 2026\. Not measured: 24 h\.<\/h1>/);
    expect(before).toContain('The uptime of the site has no confirmed failure in this span.');
    expect(before).toContain('2026-10-15</td><td class="n" colspan="3">not measured</td><td></td>');
  });

  it('is a function of the data, whose hash the data names', () => {
    const statement = JSON.parse(file.text) as SignedStatement;
    const again = renderPage(statement, 'void 0;', nodePlatform);
    expect(again).toEqual(file.page);
    expect(statement.pageSha256).toBe(pageSha256(again, nodePlatform));
  });
});

describe('the file of a statement', () => {
  it('gives back the data in it, byte for byte', () => {
    expect(splitFile(joinFile(file))).toEqual(file);
    const text = String.raw`{"a":"\\u003c<\\\u003c"}`;
    expect(splitFile(joinFile({ ...file, text }))?.text).not.toBe(text);
    const canonical = String.raw`{"a":"\\u003c<\\<\\"}`;
    expect(splitFile(joinFile({ ...file, text: canonical }))?.text).toBe(canonical);
  });

  it('is refused without data, and with data in another spelling', () => {
    expect(splitFile('<!doctype html>\n')).toBeNull();
    expect(splitFile(joinFile(file).replace(String.raw`\u003cimg`, '<img'))).toBeNull();
  });
});
