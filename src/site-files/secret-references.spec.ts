import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { localSecrets } from './command-line/given-files.ts';
import { readSiteFiles } from './read-site-files.ts';
import { resolveSecrets } from './secret-references.ts';
import type { SiteFile } from './site-file.dto.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-secrets-'));
  writeFileSync(join(folder, 'password'), 'from a file\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

function siteWith(fields: string): SiteFile {
  const { sites, problems } = readSiteFiles([
    {
      name: '',
      text: `key: a\nurl: https://a.example\ngroups:\n  - name: G\n    ${fields}\n    checks:\n      - {name: x, url: /, notice: "\${env:TOKEN}"}\n`,
    },
  ]);
  const [first] = sites;
  if (first === undefined) throw new Error(JSON.stringify(problems));
  return first.site;
}
const resolveIn = (site: SiteFile, env: Readonly<Record<string, string>> = { TOKEN: 'abc' }): readonly string[] =>
  resolveSecrets(site, localSecrets(join(folder, 'site.yaml'), env)).values;

it('puts values from the environment and from files beside the site file, into secret fields alone', () => {
  const site = siteWith('options: {w: "Authorization: Bearer ${env:TOKEN}"}\n    httpAuth: {user: u, password: "${file:password}"}');
  expect(resolveIn(site)).toEqual(['from a file', 'abc']);
  expect(site.groups[0]).toMatchObject({
    options: { w: 'Authorization: Bearer abc' },
    httpAuth: { user: 'u', password: 'from a file' },
    checks: [{ notice: '${env:TOKEN}' }],
  });
});

it('names every reference without a value', () => {
  const site = siteWith('options: {w: "X: ${env:NONE}"}\n    httpAuth: {user: u, password: "${file:../none}"}');
  expect(() => resolveIn(site)).toThrow(
    'groups.0.httpAuth.password: ${file:../none} has no value; groups.0.options.w: ${env:NONE} has no value',
  );
});

it('refuses a value that would begin another header', () => {
  const site = siteWith('options: {w: "X: ${env:TOKEN}"}');
  expect(() => resolveIn(site, { TOKEN: 'a\r\nHost: elsewhere' })).toThrow('groups.0.options.w: ${env:TOKEN} has more than one line');
});

it('keeps the saved secrets of references without a value when asked to', () => {
  const site = siteWith('options: {w: "X: ${env:NONE}"}\n    httpAuth: {user: u, password: "${file:password}"}');
  expect(resolveSecrets(site, localSecrets(join(folder, 'site.yaml'), {}), { keep: true }).kept).toEqual(['groups.0.options.w']);
  expect(site.groups[0]).toMatchObject({ options: {}, httpAuth: { user: 'u', password: 'from a file' } });
});

it('refuses the mask that answers show in place of a secret', () => {
  expect(() => resolveIn(siteWith('options: {w: "X: ********"}'))).toThrow('groups.0.options.w: is the mask of a secret');
});
