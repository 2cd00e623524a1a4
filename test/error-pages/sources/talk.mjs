import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { file, folder, freePort, get, has, serve } from '../software.mjs';

/** What people paste into wikis, blogs, forums and commit messages when something broke. */
export const MESSAGES = {
  warning: 'Warning: mysqli_connect(): (HY000/2002): Connection refused in /var/www/shop/index.php on line 12',
  'fatal-html': '<b>Fatal error</b>:  Uncaught Error: Call to undefined function cart() in <b>/var/www/shop/index.php</b> on line <b>3</b>',
  fatal:
    'Fatal error: Uncaught Error: Call to undefined function cart() in /var/www/shop/index.php:3\nStack trace:\n#0 /var/www/shop/index.php(9): total()\n#1 {main}\n  thrown in /var/www/shop/index.php on line 3',
  syntax:
    "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version for the right syntax to use near 'Neill'' at line 1",
  sqlstate: "SQLSTATE[42S02]: Base table or view not found: 1146 Table 'shop.items' doesn't exist",
  access: "Access denied for user 'shop'@'localhost' (using password: YES)",
  duplicate: "Duplicate entry '1' for key 'PRIMARY'",
  gone: 'MySQL server has gone away',
  postgres: 'ERROR:  relation "items" does not exist\nLINE 1: SELECT price FROM items\n                          ^',
  'postgres-duplicate': 'ERROR: duplicate key value violates unique constraint "items_pkey"\nDETAIL: Key (id)=(1) already exists.',
  oracle: 'ORA-00942: table or view does not exist',
  sqlite: 'SQLITE_ERROR: no such table: items',
  sqlserver: "[Microsoft][ODBC Driver 17 for SQL Server][SQL Server]Invalid object name 'items'.",
  python:
    'Traceback (most recent call last):\n  File "/srv/shop/app.py", line 12, in total\n    return 1 / 0\n  File "/srv/shop/cart.py", line 4, in rows\n    return self.rows\nZeroDivisionError: division by zero',
  java: 'java.lang.NullPointerException: Cannot invoke "String.length()"\n\tat shop.Cart.total(Cart.java:17)\n\tat java.base/java.lang.Thread.run(Thread.java:840)',
  node: "TypeError: Cannot read properties of undefined (reading 'price')\n    at Cart.total (/srv/shop/cart.js:12:5)\n    at async handler (file:///srv/shop/server.mjs:3:1)",
  dotnet:
    'System.NullReferenceException: Object reference not set to an instance of an object.\n   at Shop.Cart.Total(Int32 id) in C:\\shop\\Cart.cs:line 17\n   at Shop.Program.Main()',
  go: 'panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.total(...)\n\t/srv/shop/main.go:12 +0x1d',
  ruby: "/srv/shop/cart.rb:4:in `total': undefined method `price' for nil:NilClass (NoMethodError)\n\tfrom /srv/shop/shop.rb:9:in `<main>'",
  status: '500 Internal Server Error',
  gateway: '502 Bad Gateway',
  unavailable: '503 Service Unavailable',
  nginx: '504 Gateway Time-out nginx/1.22.1',
  wordpress: 'Error establishing a database connection',
  critical: 'There has been a critical error on this website.',
  django: "You're seeing this error because you have DEBUG = True in your Django settings file.",
};

export async function collect(keep) {
  gitweb(keep);
  await dokuwiki(keep);
  await mediawiki(keep);
}

/** Commits that fix, name and contain errors. */
function gitweb(keep) {
  const cgi = '/usr/share/gitweb/gitweb.cgi';
  if (!existsSync(cgi) || !has('perl') || !has('git')) return;
  const root = folder();
  const shop = join(root, 'shop');
  const git = (...args) =>
    execFileSync('git', ['-C', shop, '-c', 'user.name=Ann', '-c', 'user.email=ann@shop.test', ...args], { stdio: 'ignore' });
  execFileSync('git', ['init', '-q', shop]);
  for (const [name, message] of Object.entries(MESSAGES)) {
    file(join(shop, `${name}.txt`), `What to do about it:\n\n${message}\n\nRestart it.\n`);
    git('add', '.');
    git('commit', '-qm', `${message}\n\nThis is what visitors saw since yesterday. Do not call what is not there.\n\n${message}`);
    file(join(shop, `${name}.txt`), `What to do about it:\n\nRestart it.\n`);
    git('commit', '-qam', `Do not show "${message.split('\n')[0]}"`);
  }
  const config = file(join(root, 'gitweb.conf'), `$projectroot = "${root}"; $feature{'blame'}{'default'} = [1];`);
  const ask = (query) => {
    const env = {
      ...process.env,
      GITWEB_CONFIG: config,
      QUERY_STRING: query,
      REQUEST_METHOD: 'GET',
      SERVER_NAME: 'shop.test',
      SERVER_PORT: '80',
      SCRIPT_NAME: '/gitweb',
      PATH_INFO: '',
      GATEWAY_INTERFACE: 'CGI/1.1',
    };
    const text = execFileSync('perl', [cgi], { env, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2e7 }).toString();
    const at = text.search(/\r?\n\r?\n/);
    const status = Number(/^Status: (\d+)/im.exec(text.slice(0, at))?.[1] ?? 200);
    keep({
      name: `gitweb ${query}`,
      how: `gitweb, ${query}`,
      status,
      type: 'text/html; charset=utf-8',
      body: text.slice(at).trimStart(),
      isError: false,
    });
  };
  for (const action of ['summary', 'log', 'shortlog', 'tree', 'rss']) ask(`p=shop/.git;a=${action}`);
  const commits = execFileSync('git', ['-C', shop, 'log', '--format=%H']).toString().trim().split('\n');
  for (const id of commits) ask(`p=shop/.git;a=commit;h=${id}`);
  for (const id of commits.filter((_, at) => at % 2 === 0)) ask(`p=shop/.git;a=commitdiff;h=${id}`);
  for (const name of Object.keys(MESSAGES)) ask(`p=shop/.git;a=blob;f=${name}.txt;hb=${commits[0]}`);
  for (const [, message] of Object.entries(MESSAGES)) ask(`p=shop/.git;a=search;st=commit;s=${encodeURIComponent(message.split('\n')[0])}`);
}

const bodiesOf = (message, { code, quote, list, heading, bold }) => ({
  plain: `I get this since this morning:\n\n${message}\n\nDoes anybody know what to do?`,
  alone: message,
  code: `It says\n\n${code(message)}\n\nand nothing else.`,
  quote: `${quote(message)}\n\nSame here.`,
  list: list(['Open the shop', message, 'Restart it']),
  heading: `${heading(message.split('\n')[0])}\n\nThis means that the database is not there. Start it again and look into its log. If that does not help, ask the administrator.`,
  bold: `First ${bold(message.split('\n')[0])} came, then the page was white.`,
});

async function dokuwiki(keep) {
  const from = '/usr/share/dokuwiki';
  if (!existsSync(from) || !has('php')) return;
  const root = folder();
  const wiki = join(root, 'wiki');
  execFileSync('cp', ['-rL', from, wiki]);
  execFileSync('cp', ['-rL', '/etc/dokuwiki', join(root, 'conf')]);
  for (const each of ['attic', 'cache', 'index', 'locks', 'media', 'media_attic', 'media_meta', 'meta', 'pages', 'tmp', 'log'])
    file(join(root, 'data', each, '_dummy'), '');
  file(join(wiki, 'inc/preload.php'), `<?php define('DOKU_CONF', '${root}/conf/');`);
  file(
    join(root, 'conf/local.php'),
    `<?php $conf['savedir'] = '${root}/data'; $conf['useacl'] = 0; $conf['title'] = 'Shop'; $conf['userewrite'] = 0;`,
  );
  const syntax = {
    code: (text) => `<code>\n${text}\n</code>`,
    quote: (text) => `> ${text.replaceAll('\n', '\n> ')}`,
    list: (items) => items.map((item) => `  * ${item.replaceAll('\n', ' ')}`).join('\n'),
    heading: (text) => `===== ${text} =====`,
    bold: (text) => `**${text}**`,
  };
  const pages = [];
  for (const [name, message] of Object.entries(MESSAGES))
    for (const [form, text] of Object.entries(bodiesOf(message, syntax))) {
      const body = form === 'alone' ? text : `====== ${name} ======\n\n${text}\n`;
      file(join(root, 'data/pages', `${name}-${form}.txt`), body);
      pages.push(`${name}-${form}`);
    }
  const port = await freePort();
  const url = await serve('php', ['-d', 'display_errors=0', '-S', `127.0.0.1:${String(port)}`, '-t', wiki], { port });
  for (const [at, page] of pages.entries()) {
    const answer = await get(`${url}/doku.php?id=${page}`);
    if (answer.status === 200 && !answer.body.includes('not been created'))
      keep({ ...answer, name: `dokuwiki ${page}`, how: `DokuWiki, a page with ${page}`, isError: false });
    if (at % 7 === 3)
      keep({
        ...(await get(`${url}/doku.php?id=${page}&do=edit`)),
        name: `dokuwiki edit ${page}`,
        how: `DokuWiki, editing ${page}`,
        isError: false,
      });
  }
  for (const [name, message] of Object.entries(MESSAGES))
    keep({
      ...(await get(`${url}/doku.php?do=search&id=start&q=${encodeURIComponent(message.split('\n')[0])}`)),
      name: `dokuwiki search ${name}`,
      how: `DokuWiki, a search for ${name}`,
      isError: false,
    });
}

async function mediawiki(keep) {
  const from = '/usr/share/mediawiki';
  if (!existsSync(from) || !has('php')) return;
  const root = folder();
  const wiki = join(root, 'wiki');
  spawnSync('cp', ['-rL', from, wiki], { stdio: 'ignore' });
  const port = await freePort();
  const options = { cwd: wiki, stdio: ['pipe', 'ignore', 'pipe'] };
  execFileSync('rm', ['-f', join(wiki, 'LocalSettings.php')]);
  file(join(root, 'data/.keep'), '');
  execFileSync(
    'php',
    [
      'maintenance/install.php',
      '--dbtype',
      'sqlite',
      '--dbpath',
      join(root, 'data'),
      '--server',
      `http://127.0.0.1:${String(port)}`,
      '--scriptpath',
      '',
      '--pass',
      'correct-horse-9',
      'Shop',
      'Admin',
    ],
    options,
  );
  const syntax = {
    code: (text) => `<pre>${text}</pre>`,
    quote: (text) => `<blockquote>${text}</blockquote>`,
    list: (items) => items.map((item) => `* ${item.replaceAll('\n', ' ')}`).join('\n'),
    heading: (text) => `== ${text} ==`,
    bold: (text) => `'''${text}'''`,
  };
  const pages = [];
  for (const [at, [name, message]] of Object.entries(MESSAGES).entries())
    for (const [form, text] of Object.entries(bodiesOf(message, syntax)).filter((_, form) => (at + form) % 2 === 0)) {
      execFileSync('php', ['maintenance/edit.php', '-s', message.split('\n')[0], `${name} ${form}`], { ...options, input: text });
      pages.push(`${name}_${form}`);
    }
  const url = await serve('php', ['-d', 'display_errors=0', '-S', `127.0.0.1:${String(port)}`, '-t', wiki], { port });
  for (const [at, page] of pages.entries()) {
    const path = page[0].toUpperCase() + page.slice(1);
    keep({
      ...(await get(`${url}/index.php?title=${path}`)),
      name: `mediawiki ${page}`,
      how: `MediaWiki, a page with ${page}`,
      isError: false,
    });
    if (at % 7 === 3)
      keep({
        ...(await get(`${url}/index.php?title=${path}&action=edit`)),
        name: `mediawiki edit ${page}`,
        how: `MediaWiki, editing ${page}`,
        isError: false,
      });
    if (at % 7 === 5)
      keep({
        ...(await get(`${url}/index.php?title=${path}&action=history`)),
        name: `mediawiki history ${page}`,
        how: `MediaWiki, history of ${page}`,
        isError: false,
      });
  }
  for (const [name, message] of Object.entries(MESSAGES))
    keep({
      ...(await get(`${url}/index.php?search=${encodeURIComponent(message.split('\n')[0])}&ns0=1`)),
      name: `mediawiki search ${name}`,
      how: `MediaWiki, a search for ${name}`,
      isError: false,
    });
}
