import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ran, watchledgerIn } from '../../support/command-line.ts';
import { sampleBytes } from '../../support/import-samples.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import { thorough } from '../../support/thorough.ts';

let folder: string;
let site: Site;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-import-'));
  site = await startHttp((request, response) => {
    const host = `http://${request.headers.host ?? ''}`;
    if (request.url === '/sitemap.xml')
      response.end(
        `<sitemapindex><sitemap><loc>${host}/pages.xml.gz</loc></sitemap><sitemap><loc>${host}/sitemap.xml</loc></sitemap><sitemap><loc>${host}/none.xml</loc></sitemap></sitemapindex>`,
      );
    else if (request.url === '/pages.xml.gz')
      response.end(
        gzipSync(`<?xml version="1.0"?><urlset><url><loc>${host}/</loc></url><url><loc>\n ${host}/a?b=1&amp;c=2 </loc></url></urlset>`),
      );
    else response.writeHead(404).end('not here');
  });
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const run = (...args: readonly string[]): Promise<Ran> => watchledgerIn(folder, {}, ...args).ran;

const GATUS = `endpoints:
  - name: Front page
    group: Shop
    url: https://shop.example/
    interval: 30s
    headers: {Authorization: "Bearer it's secret"}
    conditions: ["[STATUS] == 200", "[BODY] == pat(*Basket*)", "[IP] == 127.0.0.1"]
  - {name: Router, url: "icmp://127.0.0.1", conditions: ["[CONNECTED] == true"]}
`;

describe('watchledger import', () => {
  it('writes site files that validate, with secrets beside them for their owner alone', async () => {
    write('gatus.yaml', GATUS);
    const { status, out, err } = await run('import', 'gatus', 'gatus.yaml', '--to', 'sites');
    expect([status, err]).toEqual([0, '']);
    expect(out).toContain('Gatus: 1 site, 1 check, 1 left out');
    expect(out).toContain('icmp: checks are made over http and https: Router');
    expect(out).toContain('condition [IP] == 127.0.0.1: a check does not compare the address behind a name: Shop / Front page');
    expect(out).toContain('every 30 s: its address is probed every 30 s and its rules are checked every 5 minutes: Shop / Front page');
    expect(readdirSync(join(folder, 'sites')).toSorted()).toEqual(['secrets.env', 'shop.example.yaml']);
    expect(statSync(join(folder, 'sites/secrets.env')).mode & 0o777).toBe(0o600);
    expect(read('sites/secrets.env')).toBe(String.raw`GATUS_SHOP_FRONT_PAGE_AUTHORIZATION='Bearer it'\''s secret'` + '\n');
    expect(read('sites/shop.example.yaml')).not.toContain('s secret');
    expect(await run('validate', 'sites')).toMatchObject({ status: 0, out: 'Valid: 1 site, 1 check\n' });
  });

  it('replaces the files of its own earlier run, and no others', async () => {
    write('changed.yaml', GATUS.replace('30s', '60s'));
    expect((await run('import', 'gatus', 'changed.yaml', '--to', 'sites')).status).toBe(0);
    expect(read('sites/shop.example.yaml')).toContain('uptimeEnabled: 60');
    mkdirSync(join(folder, 'own'));
    write('own/shop.example.yaml', 'key: shop\nurl: https://shop.example\n');
    const refused = await run('import', 'gatus', 'gatus.yaml', '--to', 'own');
    expect(refused).toMatchObject({
      status: 1,
      err: expect.stringContaining('own/shop.example.yaml: exists and is not of an earlier import'),
    });
    expect(read('own/shop.example.yaml')).toContain('key: shop\n');
  });

  it('shows what it would do without --to, and ends with 3', async () => {
    const { status, out } = await run('import', 'gatus', 'gatus.yaml', '--json');
    expect(status).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      kind: 'gatus',
      sites: [{ key: 'import:gatus:shop.example', url: 'https://shop.example' }],
      findings: expect.arrayContaining([{ kind: 'left out', name: 'Router', reason: expect.any(String) }]),
      secrets: ['GATUS_SHOP_FRONT_PAGE_AUTHORIZATION'],
    });
  });

  it('leaves out what the service would refuse, with its reason', async () => {
    const conditions = '["[BODY].a == pat([z-a])", "[STATUS] == 200"]';
    write(
      'refused.yaml',
      `endpoints:\n  - {name: Bad, url: "https://a.example/", conditions: ${conditions}}\n  - {name: Good, url: "https://a.example/b", conditions: ["[STATUS] == 200"]}\n`,
    );
    const { out } = await run('import', 'gatus', 'refused.yaml');
    expect(out).toContain('Gatus: 1 site, 1 check, 1 left out');
    expect(out).toMatch(/pattern .*: Bad/);
  });

  it('follows the index of a sitemap at an address', async () => {
    const { status, out } = await run('import', 'sitemap', `${site.url}/sitemap.xml`, '--to', 'pages');
    expect(status).toBe(0);
    expect(out).toContain('A sitemap: 1 site, 2 checks, 1 left out');
    expect(out).toContain(`answers 404 not here: ${site.url}/none.xml`);
    const [file = ''] = readdirSync(join(folder, 'pages'));
    expect(read(`pages/${file}`)).toContain('url: /a?b=1&c=2');
  });

  it('reads the database of a running Uptime Kuma', async () => {
    for (const name of ['1.23.17.db', '1.23.17.db-wal']) write(name.replace('1.23.17', 'kuma'), sampleBytes(`uptime-kuma/${name}`));
    const { status, out } = await run('import', 'uptime-kuma', 'kuma.db', '--to', 'kuma');
    expect(status).toBe(0);
    expect(out).toContain('Uptime Kuma: 3 sites, 9 checks, 1 status page, 14 left out');
    expect(await run('validate', 'kuma')).toMatchObject({ status: 0, out: 'Valid: 3 sites, 9 checks, 1 status page\n' });
  });

  it('writes the days that Uptime Kuma counted as the body of a request', async () => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    // The heartbeats of the sample, moved to a day that has passed on every clock.
    const moved = sampleBytes('uptime-kuma/2.5.3.db')
      .toString('latin1')
      .replaceAll(/2026-11-2[67]/g, yesterday);
    write('moved.db', Buffer.from(moved, 'latin1'));
    const { status, out } = await run('import', 'uptime-kuma', 'moved.db', '--to', 'moved');
    expect([status, out]).toEqual([0, expect.stringMatching(/\nHistory: \d+ days? of \d sites\n/)]);
    const { origin, from, up } = JSON.parse(read('moved/127.0.0.1-3999.history.json')) as { origin: string; from: string; up: number[] };
    const nth = (Date.parse(yesterday) - Date.parse(from)) / 86_400_000;
    expect([origin, up[nth]]).toEqual(['imported:uptime-kuma', 39]);
    expect(await run('validate', 'moved')).toMatchObject({ status: 0 });
  });

  it('takes thousands of addresses in seconds', async () => {
    const [count, sites] = thorough([10_000, 2_000], [1_000, 200]);
    write(
      'many.txt',
      Array.from({ length: count }, (_, nth) => `https://shop${String(nth % sites)}.example/page/${String(nth)}`).join('\n'),
    );
    const began = performance.now();
    const { status, out } = await run('import', 'urls', 'many.txt', '--to', 'many');
    expect([status, out.split('\n', 1)[0]]).toEqual([0, `A list of URLs: ${String(sites)} sites, ${String(count)} checks, 0 left out`]);
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});

describe('a source that cannot be read', () => {
  const bomb = 'abcdefghi'
    .split('')
    .map(
      (name, index, all) =>
        `${name}: &${name} [${Array.from({ length: 9 }, () => (index === 0 ? 'x' : `*${all[index - 1] ?? ''}`)).join(',')}]`,
    );

  it.each<[string, string, string | Uint8Array, string]>([
    ['is no text', 'gatus', Buffer.from([0xff, 0xfe, 0x00]), 'is not a text in UTF-8'],
    ['is no YAML', 'gatus', 'a: [1, 2', 'source:'],
    ['is no mapping', 'gatus', '- a', 'is not a configuration of Gatus'],
    ['unfolds to billions', 'gatus', bomb.join('\n'), 'alias'],
    ['is no sitemap', 'sitemap', '<html><loc>https://a.example/</loc></html>', 'is not a sitemap'],
    ['inflates without bound', 'urls', gzipSync(Buffer.alloc(120 * 1024 * 1024)), 'cannot be decompressed'],
    ['is damaged', 'urls', Buffer.from([0x1f, 0x8b, 0x08, 0x00]), 'cannot be decompressed'],
    ['is empty', 'urls', '', 'source: nothing to import was found'],
  ])('%s: %s', async (_, kind, content, message) => {
    write('source', content);
    const { status, out, err } = await run('import', kind, 'source');
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
  });

  it('is named where it does not exist, as a kind is that does not', async () => {
    expect(await run('import', 'urls', 'nowhere.txt')).toMatchObject({
      status: 1,
      err: expect.stringContaining('nowhere.txt: there is no such file'),
    });
    expect(await run('import', 'urls', folder)).toMatchObject({ status: 1, err: expect.stringContaining('is a folder') });
    expect(await run('import', 'pingdom', 'x')).toMatchObject({ status: 2, err: expect.stringContaining("KIND: 'pingdom' is not one of") });
  });
});
