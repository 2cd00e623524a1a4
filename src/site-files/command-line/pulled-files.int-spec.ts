import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PulledFiles } from './pulled-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-pulled-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const pull = async (key: string, site: object): Promise<string> => {
  const files = new PulledFiles(folder, 'http://127.0.0.1:3000');
  const name = await files.writeSite(key, { key, ...site });
  files.save();
  await files.close();
  return readFileSync(name, 'utf8');
};
const rule = { type: 'status', op: 'eq', val: '200' };

it('leaves a site as it is that its file gives, with templates of another file and defaults that it states', async () => {
  writeFileSync(
    join(folder, 'templates.yaml'),
    'templates:\n  ours: {timeout: 9, groups: [{name: G, rules: [[{type: status, op: eq, val: 200}]]}]}\n',
  );
  mkdirSync(join(folder, 'teams'));
  const text = `key:   a # of the shop team
url: https://a.example
extends: ours
groups:
    -   name: G
        public: true
        httpAuth: {user: u, password: "\${file:password}"}
        checks: [{name: x, url: /, enabled: true}]
`;
  writeFileSync(join(folder, 'teams/a.yaml'), text);
  const httpAuth = { user: 'u', password: '${env:A_G_PASSWORD}' };
  const site = {
    url: 'https://a.example',
    timeout: 9,
    groups: [{ name: 'G', rules: [[rule]], httpAuth, checks: [{ name: 'x', url: '/' }] }],
  };
  expect(await pull('a', site)).toBe(text);
  const changed = await pull('a', { ...site, title: 'Shop' });
  expect(changed).toMatch(/^key: a # of the shop team\n[^]*title: Shop\n/);
  expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(['teams', 'teams/a.yaml', 'templates.yaml']);
});

it('writes through a link, and nothing where a file is not valid YAML', async () => {
  mkdirSync(join(folder, '.elsewhere'));
  writeFileSync(join(folder, '.elsewhere/b'), 'key: b\nurl: https://b.example\n');
  symlinkSync('.elsewhere/b', join(folder, 'b.yaml'));
  await pull('b', { url: 'https://b.example', title: 'B' });
  expect(readFileSync(join(folder, '.elsewhere/b'), 'utf8')).toBe('key: b\nurl: https://b.example\ntitle: B\n');
  writeFileSync(join(folder, 'broken.yaml'), 'key: a\nkey: b\n');
  await expect(pull('b', { url: 'https://b.example' })).rejects.toThrow(
    /broken\.yaml:2:1 this key stands in the mapping already.*; mend the file/,
  );
});

it('writes nothing outside of the folder, whatever a server says', async () => {
  for (const key of ['../.github/workflows/evil', '/etc/x', '.hidden', 'a/b', 'a\\b', '', '..', 'status-page:../x', 'a\n']) {
    await expect(pull(key, { url: 'https://b.example' })).rejects.toThrow(/the server names a file/);
    const files = new PulledFiles(folder, 'http://127.0.0.1:3000');
    expect(() => files.write(key, { on: 'push' })).toThrow(/the server names a file/);
    await files.close();
  }
  expect(readdirSync(folder)).toEqual([]);
});
