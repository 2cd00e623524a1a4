import { expect, it } from '@jest/globals';
import { readSiteFiles } from './read-site-files.ts';

const read = (...texts: readonly string[]) => readSiteFiles(texts.map((text, index) => ({ name: `${String(index)}.yaml`, text })));

const BASE = `templates:
  base:
    period: 5 minutes
    timeout: 9
    groups:
      - name: Public
        options: {w: "X-From: watchledger"}
        checks:
          - {name: Front page, url: /, rules: [{op: sub, val: Welcome}]}
          - {name: Imprint, url: /imprint}
  strict: {extends: base, uptimeEnabled: 15}
`;

it('gives sites of other files what they extend, and merges groups and checks by key or name', () => {
  const { sites, problems } = read(
    BASE,
    `key: shop
url: https://shop.example
extends: strict
timeout: null
groups:
  - name: Public
    checks:
      - {name: Front page, url: /start}
      - {name: Basket, url: /basket}
`,
  );
  expect(problems).toEqual([]);
  expect(sites.map(({ site }) => site)).toMatchObject([
    {
      ...{ key: 'shop', period: '5 minutes', uptimeEnabled: '15' },
      groups: [
        {
          options: { w: 'X-From: watchledger' },
          checks: [{ name: 'Front page', url: '/start', rules: [{ val: 'Welcome' }] }, { name: 'Imprint' }, { name: 'Basket' }],
        },
      ],
    },
  ]);
  expect(sites[0]?.site.timeout).toBeUndefined();
});

it.each([
  ['extends: nothing', 'extends: no template has the name nothing'],
  ['extends: a\ntemplates: {a: {extends: b}, b: {extends: a}}', 'extends: a extends b extends a: this never ends'],
  ['extends: 7', 'extends: must be the name of a template, or a list of names'],
])('names the place of %j', (line, problem) => {
  expect(read(`key: shop\nurl: https://shop.example\n${line}\n`).problems).toEqual([
    { file: '0.yaml', line: 3, column: 1, message: problem },
  ]);
});

it('knows what a template leaves out in a site', () => {
  expect(read(BASE, 'key: shop\nextends: base\n').problems).toMatchObject([{ message: 'url: is not a valid URL: it is not text' }]);
});
