import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { readSiteFiles } from './read-site-files.ts';
import { siteFileSchema } from './site-file-schema.ts';
import { readYaml } from './yaml-text.ts';

const example = readFileSync(new URL('../../examples/site-files/shop.yaml', import.meta.url), 'utf8');
const problemsIn = (text: string): readonly string[] =>
  readSiteFiles([{ name: '', text }]).problems.map(({ line, column, message }) => `${String(line)}:${String(column)} ${message}`);

it('reads the example, whose checks keep their order', () => {
  const { sites, problems } = readSiteFiles([{ name: '', text: example }]);
  expect(problems).toEqual([]);
  expect(sites[0]?.site).toMatchObject({
    key: 'shop',
    uptimeEnabled: '30',
    groups: [{ name: 'Public' }, { name: 'Staff', public: false }],
  });
  expect(sites[0]?.site.groups[0]?.checks.map(({ name }) => name)).toEqual(['Front page', 'Products']);
});

it('reads a site from each document', () => {
  const { sites } = readSiteFiles([{ name: '', text: 'key: a\nurl: https://a.example\n---\nkey: b\nurl: https://b.example\n' }]);
  expect(sites.map(({ site }) => site.key)).toEqual(['a', 'b']);
});

it('names file places, fields, what is accepted, and the nearest field', () => {
  expect(
    problemsIn(`key: Shop
url: htp://x
titel: Shop
groups:
  - name: A
    checks:
      - name: x
        url: /
        rules:
          - {type: status, op: equals, val: 200}
`),
  ).toEqual([
    '3:1 titel: is not a known field; did you mean "title"?',
    '1:1 key: must be 1 to 63 lower-case letters, digits and hyphens, or the key that an import gave',
    '2:1 url: is not a valid URL: only http and https are supported',
    expect.stringMatching(/^10:28 groups\.0\.checks\.0\.rules\.0\.op: must be one of eq, /),
  ]);
});

it('refuses names and keys that do not say which is which', () => {
  const check = (fields: string): string => `      - {url: /, ${fields}}\n`;
  const text = `key: a\nurl: https://a.example\ngroups:\n  - name: G\n    checks:\n${check('name: one, key: x')}${check('name: two, key: x')}  - name: G\n    checks:\n${check('name: one')}`;
  expect(problemsIn(text)).toEqual([
    '8:5 groups.1: another group has the name G',
    '7:9 groups.0.checks.1: another check has the key x',
    '10:9 groups.1.checks.0: another check has the name one',
  ]);
});

it.each([
  ['', 'the file has no site'],
  ['just text', 'a site must be a mapping of fields to values'],
  ['- key: a', 'a site must be a mapping of fields to values'],
  ['key: a', 'url: is not a valid URL: it is not text'],
])('refuses %j', (text, problem) => {
  expect(problemsIn(text)).toEqual([`1:1 ${problem}`]);
});

it('has a JSON Schema that admits the example and refuses an unknown field', () => {
  const schema = siteFileSchema();
  const admits = formats.default(new Ajv2020({ strict: false, allErrors: true })).compile(schema);
  const [document] = readYaml(example).documents;
  admits(document?.value);
  expect(admits.errors).toBeNull();
  expect(admits({ key: 'a', url: 'https://a.example', titel: 'x' })).toBe(false);
  expect(admits({ templates: { ours: {} }, key: 'a', extends: 'ours' })).toBe(true);
  const items = [{ name: 'Shop', project: 'shop' }];
  expect(admits({ statusPage: { slug: 'shop', title: 'Shop', groups: [{ items }] } })).toBe(true);
  expect(admits({ statusPage: { slug: 'shop', titel: 'Shop', groups: [{ items }] } })).toBe(false);
  expect(JSON.stringify(schema)).not.toContain('#/components/');
});
