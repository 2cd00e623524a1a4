import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../support/free-port.ts';
import { type Ran, watchledgerIn } from '../../support/command-line.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';

const TOKEN = 'a token that must not be in a log';

let site: Site;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-site-files-'));
  site = await startHttp((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/token') response.setHeader('content-type', 'application/json').end('{"id": "f81d4fae"}');
    else if (request.url === '/item/f81d4fae') response.end('<title>Item</title>');
    else
      response.end(
        `<!doctype html>\n<h1>Shoes</h1>\n<p>${request.headers.authorization ?? 'anonymous'}</p>\n<button>Add to basket</button>\n`,
      );
  });
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const run = (...args: readonly string[]): Promise<Ran> => watchledgerIn(folder, { SHOP_TOKEN: TOKEN }, ...args).ran;

describe('watchledger try', () => {
  it('runs each check once against the site, and shows the bytes that decided', async () => {
    write(
      'shop.yaml',
      `key: shop
url: ${site.url}
groups:
  - name: Public
    rules: [{type: status, op: lt, val: 400}]
    checks:
      - name: Front page
        url: /
        rules: [{op: sub, val: Add to basket}, {type: html, op: xpath, val: //h1}]
        options: {w: "Authorization: Bearer \${env:SHOP_TOKEN}"}
      - {name: Switched off, url: /nowhere, enabled: false, rules: [{type: status, op: eq, val: 418}]}
`,
    );
    const { status, out, err } = await run('try', 'shop.yaml');
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^✓ shop \/ Public \/ Front page: 200 in \d+ ms\n/);
    expect(out).toContain('✓ group rule status lt "400"');
    expect(out).toMatch(/✓ text sub "Add to basket", line 4, bytes \d+ to \d+: Add to basket/);
    expect(out).toContain(': <h1>Shoes</h1>');
    expect(out).toContain('All 1 checks pass.');
  });

  it('ends with 1 where a check fails, and quotes no secret', async () => {
    const closed = await freePort();
    write(
      'failing.yaml',
      `key: failing
url: ${site.url}
groups:
  - name: Public
    checks:
      - name: Echo
        url: /
        rules: [{op: sub, val: Bearer}, {op: "!sub", val: Bearer}, {op: sub, val: Sold out}, {type: html, op: regex, val: "Bearer.*must not"}]
        options: {w: "Authorization: Bearer \${env:SHOP_TOKEN}"}
      - {name: Closed, url: "http://127.0.0.1:${String(closed)}/"}
`,
    );
    const { status, out } = await run('try', 'failing.yaml', '--json');
    expect(status).toBe(1);
    expect(out).not.toContain('must not be');
    const { passed, checks } = JSON.parse(out) as { passed: boolean; checks: readonly { result: string; failures: readonly string[] }[] };
    expect(passed).toBe(false);
    expect(checks).toMatchObject([
      {
        check: 'Echo',
        result: 'failed',
        httpStatus: 200,
        rules: [
          { result: 'passed' },
          { result: 'failed' },
          { result: 'failed' },
          { result: 'passed', text: expect.stringContaining('***') },
        ],
      },
      { check: 'Closed', httpStatus: null, failures: [expect.stringContaining('refused')] },
    ]);
  });

  it('hands values from a check to the next one of its group', async () => {
    write(
      'journey.yaml',
      `key: journey
url: ${site.url}
groups:
  - name: API
    checks:
      - {name: Token, url: /token, options: {extract: [{name: id, from: "json:$.id"}]}}
      - {name: Item, url: "/item/{{id}}", rules: [{type: title, op: eq, val: Item}], options: {uses: [id]}}
`,
    );
    const { status, out } = await run('try', 'journey.yaml');
    expect([status, out]).toEqual([0, expect.stringContaining('All 2 checks pass.')]);
  });

  it('fetches nothing where a file is not valid or a secret has no value', async () => {
    write('secret.yaml', `key: secret\nurl: ${site.url}\ngroups:\n  - name: G\n    options: {w: "X: \${env:NOT_SET}"}\n`);
    const { status, out } = await run('try', 'secret.yaml');
    expect([status, out]).toEqual([2, 'secret.yaml:5:15 groups.0.options.w: ${env:NOT_SET} has no value\n']);
    write('endless.yaml', `key: endless\nurl: ${site.url}\ngroups:\n  - name: G\n    options: {w: "X: \${file:/dev/zero}"}\n`);
    expect(await run('try', 'endless.yaml')).toMatchObject({
      status: 2,
      out: 'endless.yaml:5:15 groups.0.options.w: ${file:/dev/zero} has no value\n',
    });
  });
});

describe('watchledger validate', () => {
  it('reads the usual folder, and needs neither server nor database', async () => {
    const here = join(folder, 'repository');
    mkdirSync(join(here, 'watchledger'), { recursive: true });
    writeFileSync(join(here, 'watchledger', 'a.yaml'), 'key: a\nurl: https://a.example\n');
    writeFileSync(join(here, 'watchledger', 'b.yml'), 'key: b\nurl: https://b.example\n');
    expect(await watchledgerIn(here, {}, 'validate').ran).toEqual({ status: 0, out: 'Valid: 2 sites, 0 checks\n', err: '' });
    writeFileSync(join(here, 'watchledger', 'c.yaml'), 'key: a\nurl: https://c.example\n');
    const { status, out } = await watchledgerIn(here, {}, 'validate').ran;
    expect([status, out]).toEqual([2, expect.stringContaining('watchledger/c.yaml:1:1 key: a is in watchledger/a.yaml, too')]);
  });

  it('names expressions that cannot be read, and addresses that are none', async () => {
    write(
      'expressions.yaml',
      `key: a
url: https://a.example
groups:
  - name: G
    checks:
      - {name: x, url: /, rules: [{type: html, op: xpath, val: "//h1["}]}
      - {name: y, url: "ftp://a.example/"}
`,
    );
    const { status, out } = await run('validate', 'expressions.yaml');
    expect(status).toBe(2);
    expect(out).toMatch(/expressions\.yaml:6:\d+ groups\.0\.checks\.0\.rules\.0\.val: /);
    expect(out).toMatch(/expressions\.yaml:7:\d+ groups\.0\.checks\.1\.url: /);
  });

  it('reads a thousand files on several threads, and names the place of a problem in one of them', async () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    const text = (key: string, period: string): string =>
      `# ${'x'.repeat(300)}\nkey: ${key}\nurl: https://${key}.example\nperiod: ${period}\ngroups: [{name: G, checks: [{name: Home, url: /}]}]\n`;
    for (let index = 0; index < 1_000; index++)
      writeFileSync(join(many, `${String(index)}.yaml`), text(`site-${String(index)}`, index === 777 ? 'sometimes' : '1 hour'));
    expect(await run('validate', many)).toMatchObject({
      status: 2,
      out: expect.stringMatching(/\/777\.yaml:4:1 period: must be one of .+\nNot valid: 1 problem\n$/),
    });
    writeFileSync(join(many, '777.yaml'), text('site-777', '1 hour'));
    expect(await run('validate', many)).toMatchObject({ status: 0, out: 'Valid: 1000 sites, 1000 checks\n' });
  });

  it('is wrong use without a file', async () => {
    const { status, err } = await run('validate');
    expect([status, err]).toEqual([2, expect.stringContaining('no file is named')]);
  });

  it('refuses files that are too large, never end, or are no text', async () => {
    write('large.yaml', `# ${'x'.repeat(2 * 1024 * 1024)}`);
    writeFileSync(join(folder, 'utf-16.yaml'), Buffer.from('\ufeffkey: a\nurl: https://a.example\n', 'utf16le'));
    symlinkSync('/nowhere', join(folder, 'dangling.yaml'));
    for (const [file, message] of [
      ['large.yaml', 'large.yaml: is larger than 1 MiB'],
      ['/dev/zero', '/dev/zero: is larger than 1 MiB'],
      ['utf-16.yaml', 'utf-16.yaml: is not a text in UTF-8; save it in this encoding'],
      ['dangling.yaml', 'dangling.yaml: there is no such file'],
      ['large.yaml/below', 'large.yaml/below: cannot be read: ENOTDIR'],
    ] as const) {
      const { status, err } = await run('validate', file);
      expect([status, err]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  it('reads linked files of a folder, and neither linked nor hidden folders nor sockets', async () => {
    const mounted = join(folder, 'mounted');
    mkdirSync(join(mounted, '..2026'), { recursive: true });
    writeFileSync(join(mounted, '..2026', 'a.yaml'), '\ufeffkey: a\r\nurl: https://a.example\r\n');
    symlinkSync('..2026', join(mounted, '..data'));
    symlinkSync('..data/a.yaml', join(mounted, 'a.yaml'));
    for (const name of ['again', 'again.yaml']) symlinkSync('.', join(mounted, name));
    // As a pipe is, it is no file.
    const socket = createServer().listen(join(mounted, 'socket.yaml'));
    await once(socket, 'listening');
    expect(await run('validate', 'mounted')).toEqual({ status: 0, out: 'Valid: 1 site, 0 checks\n', err: '' });
    socket.close();
  });
});
