import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { file, folder, freePort, get, has, onClose, pause, serve } from '../software.mjs';

/** Statements that a server of SQL refuses. */
const STATEMENTS = {
  table: 'SELECT price FROM missing_items',
  column: 'SELECT missing_price FROM items',
  syntax: "SELECT * FROM items WHERE name = 'O'Neill'",
  quote: "SELECT * FROM items WHERE name = 'open",
  duplicate: "INSERT INTO items (id, name) VALUES (1, 'Lamp')",
  foreign: 'INSERT INTO orders (id, item) VALUES (1, 99)',
  null: 'INSERT INTO items (id, name) VALUES (2, NULL)',
  function: 'SELECT missing_function(1)',
  long: `INSERT INTO items (id, name) VALUES (3, '${'x'.repeat(40)}')`,
  type: "INSERT INTO items (id, name) VALUES ('one', 'x')",
  drop: 'DROP TABLE missing_items',
  group: 'SELECT count(*) FROM items GROUP BY missing',
};
const SCHEMA = [
  'CREATE TABLE items (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL)',
  "INSERT INTO items VALUES (1, 'Lamp')",
  'CREATE TABLE orders (id INT, item INT, FOREIGN KEY (item) REFERENCES items (id))',
];

/** How sites print what the server said. */
const STYLES = {
  die: (message) => `<?php ${message} die('Query failed: ' . $m);`,
  bare: (message) => page(`<div id="content"><?php ${message} echo $m; ?></div>`),
  paragraph: (message) =>
    `<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Database error</h1><p><?php ${message} echo htmlspecialchars($m); ?></p></body></html>`,
  heading: (message) => `<html><body><h1><?php ${message} echo htmlspecialchars($m); ?></h1></body></html>`,
  pre: (message) => `<html><body><h2>Something went wrong</h2><pre><?php ${message} echo htmlspecialchars($m); ?></pre></body></html>`,
  last: (message) => `${page('<p>Welcome</p>')}<?php ${message} echo $m; ?>`,
};
const MORE = '<p>We sell lamps, chairs and tables made by hand in our own workshop. Delivery takes three days.</p>'.repeat(6);

function page(inner) {
  return `<!DOCTYPE html><html><head><title>Shop</title></head><body><nav><a href="/">Home</a></nav><h1>Lamps</h1>${inner}${MORE}<footer>Imprint</footer></body></html>`;
}

export async function collect(keep) {
  if (!has('php')) return;
  const servers = [await mariadb(), await postgres(), sqlite()].filter((each) => each !== null);
  const root = folder();
  const files = [];
  for (const [server, connects] of servers)
    for (const [driver, { open, query }] of Object.entries(connects))
      for (const [name, statement] of Object.entries(STATEMENTS))
        for (const [at, [style, around]] of Object.entries(STYLES).entries()) {
          if ((at + name.length) % 2 === 1 && style !== 'die') continue;
          const message = `$sql = ${JSON.stringify(statement).replaceAll('$', '\\$')}; try { ${open} ${query} } catch (Throwable $e) { $m = $e->getMessage(); }`;
          const path = `${server}-${driver}-${name}-${style}.php`;
          file(join(root, path), around(message));
          files.push(path);
        }
  for (const [server, connects] of servers)
    for (const [driver, { wrong }] of Object.entries(connects))
      for (const [kind, code] of Object.entries(wrong ?? {})) {
        const path = `${server}-${driver}-${kind}-connect.php`;
        file(join(root, path), `<?php try { ${code} } catch (Throwable $e) { $m = $e->getMessage(); } die('<p>' . $m . '</p>');`);
        files.push(path);
      }
  const port = await freePort();
  const url = await serve('php', ['-d', 'display_errors=0', '-S', `127.0.0.1:${String(port)}`, '-t', root], { port });
  for (const path of files) {
    const answer = await get(`${url}/${path}`);
    if (!/\bnone\b/.test(answer.body))
      keep({ ...answer, name: path.replace('.php', ''), how: `PHP prints what the server said, ${path}`, isError: true });
  }
}

async function mariadb() {
  if (!has('mariadbd')) return null;
  const root = folder();
  const socket = join(root, 'sock');
  const args = [
    `--datadir=${root}/data`,
    '--user=root',
    `--socket=${socket}`,
    '--skip-networking=0',
    '--bind-address=127.0.0.1',
    `--pid-file=${root}/pid`,
  ];
  execFileSync('mariadb-install-db', ['--user=root', `--datadir=${root}/data`, '--auth-root-authentication-method=normal'], {
    stdio: 'ignore',
  });
  const port = await freePort();
  const { spawn } = await import('node:child_process');
  const child = spawn('mariadbd', [...args, `--port=${String(port)}`], { stdio: 'ignore' });
  onClose(() => new Promise((resolve) => (child.once('exit', resolve), child.kill())));
  const sql = [
    'CREATE DATABASE shop',
    'USE shop',
    ...SCHEMA,
    "CREATE USER shop@'%' IDENTIFIED BY 'right'",
    "CREATE USER shop@localhost IDENTIFIED BY 'right'",
    "GRANT ALL ON shop.* TO shop@'%'",
    'GRANT ALL ON shop.* TO shop@localhost',
    "SET GLOBAL sql_mode='STRICT_ALL_TABLES'",
  ].join(';');
  for (let tries = 0; tries < 50; tries++) {
    if (spawnSync('mariadb', ['-S', socket, '-e', sql], { stdio: 'ignore' }).status === 0) break;
    await pause(300);
  }
  const mysqli = (mode) => `mysqli_report(${mode}); $d = new mysqli('127.0.0.1', 'shop', 'right', 'shop', ${port});`;
  const pdo = (password, to = port, name = 'shop') => `new PDO('mysql:host=127.0.0.1;port=${to};dbname=${name}', 'shop', '${password}')`;
  return [
    'mariadb',
    {
      mysqli: {
        open: mysqli('MYSQLI_REPORT_OFF'),
        query: '$d->query($sql); $m = $d->error;',
        wrong: {
          password: `mysqli_report(MYSQLI_REPORT_STRICT); new mysqli('127.0.0.1', 'shop', 'wrong', 'shop', ${port});`,
          refused: "mysqli_report(MYSQLI_REPORT_STRICT); new mysqli('127.0.0.1', 'shop', 'right', 'shop', 1);",
          unknown: `mysqli_report(MYSQLI_REPORT_STRICT); new mysqli('127.0.0.1', 'shop', 'right', 'missing', ${port});`,
        },
      },
      pdo: {
        open: `$d = ${pdo('right')};`,
        query: '$d->query($sql);',
        wrong: { password: `${pdo('wrong')};`, refused: `${pdo('right', 1)};`, unknown: `${pdo('right', port, 'missing')};` },
      },
    },
  ];
}

async function postgres() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  if (versions.length === 0) return null;
  const bin = `/usr/lib/postgresql/${versions.at(-1)}/bin`;
  const root = folder();
  const port = await freePort();
  execFileSync('chown', ['-R', 'postgres', root]);
  const as = (...command) => spawnSync('runuser', ['-u', 'postgres', '--', ...command], { stdio: 'ignore', cwd: '/' });
  as(`${bin}/initdb`, '-D', `${root}/data`, '-A', 'scram-sha-256', '--pwfile=/dev/stdin', '-U', 'postgres');
  as('sh', '-c', `echo right > ${root}/pw; ${bin}/initdb -D ${root}/data -A scram-sha-256 --pwfile=${root}/pw -U shop`);
  as(`${bin}/pg_ctl`, '-D', `${root}/data`, '-o', `-p ${String(port)} -k ${root}`, '-w', '-l', `${root}/log`, 'start');
  onClose(() => as(`${bin}/pg_ctl`, '-D', `${root}/data`, '-m', 'immediate', 'stop'));
  spawnSync(`${bin}/psql`, ['-h', '127.0.0.1', '-p', String(port), '-U', 'shop', 'postgres', ...SCHEMA.flatMap((each) => ['-c', each])], {
    env: { ...process.env, PGPASSWORD: 'right' },
    stdio: 'ignore',
  });
  const at = (password, to = port, name = 'postgres') => `host=127.0.0.1 port=${to} dbname=${name} user=shop password=${password}`;
  const pdo = (password, to = port, name = 'postgres') =>
    `new PDO('pgsql:host=127.0.0.1;port=${to};dbname=${name}', 'shop', '${password}')`;
  return [
    'postgres',
    {
      pg: { open: `$d = pg_connect('${at('right')}');`, query: '@pg_query($d, $sql); $m = pg_last_error($d);' },
      pdo: {
        open: `$d = ${pdo('right')};`,
        query: '$d->query($sql);',
        wrong: { password: `${pdo('wrong')};`, refused: `${pdo('right', 1)};`, unknown: `${pdo('right', port, 'missing')};` },
      },
    },
  ];
}

function sqlite() {
  const fill = SCHEMA.map((each) => `$d->exec("${each}");`).join(' ');
  return [
    'sqlite',
    {
      pdo: {
        open: `$d = new PDO('sqlite::memory:'); $d->exec('PRAGMA foreign_keys = ON'); ${fill}`,
        query: '$d->query($sql); $m = "none";',
        wrong: { file: "new PDO('sqlite:/missing/shop.db');" },
      },
      sqlite3: {
        open: `$d = new SQLite3(':memory:'); $d->enableExceptions(true); $d->exec('PRAGMA foreign_keys = ON'); ${fill}`,
        query: '$d->query($sql); $m = "none";',
      },
    },
  ];
}
