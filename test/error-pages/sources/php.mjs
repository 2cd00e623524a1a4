import { join } from 'node:path';
import { file, folder, freePort, get, has, serve } from '../software.mjs';

/** What a site of PHP prints while it breaks, by level. */
const MESSAGES = {
  fatal: 'undefined_function();',
  'fatal-type': 'strlen([]);',
  'fatal-class': '(new Cart)->add(1);',
  'fatal-require': "require 'missing/settings.php';",
  'fatal-memory': "ini_set('memory_limit', '4M'); $x = str_repeat('x', 50000000);",
  'fatal-time': "set_time_limit(1); while (true) { md5('x'); }",
  exception: "function total(array $rows) { throw new RuntimeException('No price for item 17'); } total([1]);",
  'exception-lines': 'throw new LogicException("The first line\nthe second line\n\nthe fourth line of <b>the message</b> & more");',
  'exception-previous': "try { intdiv(1, 0); } catch (DivisionByZeroError $e) { throw new Exception('Cannot count', 5, $e); }",
  'exception-deep': 'function f($n) { if ($n === 0) throw new Exception("deep"); f($n - 1); } f(120);',
  warning: "fopen('missing.txt', 'r');",
  'warning-index': '$a = []; echo $a["price"];',
  'warning-undefined': 'echo $total;',
  'warning-foreach': 'foreach (null as $row) { echo $row; }',
  'warning-include': "include 'missing/header.php';",
  'warning-header': "echo str_repeat(' ', 5000); flush(); header('Location: /');",
  'warning-division': 'echo "x" + 1;',
  'warning-mysqli': "mysqli_report(MYSQLI_REPORT_OFF); mysqli_connect('127.0.0.1', 'shop', 'secret', 'shop', 1);",
  'exception-mysqli':
    "mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT); mysqli_connect('127.0.0.1', 'shop', 'secret', 'shop', 1);",
  'exception-pdo': "new PDO('mysql:host=127.0.0.1;port=1;dbname=shop', 'shop', 'secret');",
  'exception-pgsql': "new PDO('pgsql:host=127.0.0.1;port=1;dbname=shop', 'shop', 'secret');",
  'warning-pgsql': "pg_connect('host=127.0.0.1 port=1 dbname=shop');",
  'exception-sqlite': "$db = new PDO('sqlite::memory:'); $db->query('SELECT price FROM items');",
  'warning-sqlite': "$db = new SQLite3(':memory:'); $db->query('SELECT price FROM items');",
  deprecated: 'echo strlen(null); strftime("%Y");',
  'deprecated-property': 'class A {} $a = new A; $a->b = 1;',
  notice: "unserialize('x');",
  'user-error': "trigger_error('The cart is broken', E_USER_ERROR);",
  'user-warning': "trigger_error('The <i>cart</i> is broken', E_USER_WARNING);",
  simplexml: "simplexml_load_string('<a><b></a>');",
};
/** Where in the page it is printed. */
const PLACES = {
  body: (code) => page(`<div class="content"><?php ${code} ?></div>`),
  first: (code) => `<?php ${code} ?>${page('<p>Welcome to our shop.</p>')}`,
  last: (code) => `${page('<p>Welcome to our shop.</p>')}<?php ${code} ?>`,
  alone: (code) => `<?php ${code}`,
  paragraph: (code) => page(`<p>Your order: <?php ${code} ?></p>`),
  cell: (code) => page(`<table><tr><th>Price</th><td><?php ${code} ?></td></tr></table>`),
  list: (code) => page(`<ul><li>One<li><?php ${code} ?><li>Three</ul>`),
  script: (code) => page(`<script>var total = <?php ${code} ?>;</script>`),
  style: (code) => page(`<style>body { color: <?php ${code} ?> }</style>`),
  textarea: (code) => page(`<form><textarea name="note"><?php ${code} ?></textarea></form>`),
  title: (code) => `<!DOCTYPE html><html><head><title><?php ${code} ?></title></head><body><h1>Shop</h1>${MORE}</body></html>`,
};
const MORE = '<p>We sell lamps, chairs and tables made by hand in our own workshop. Delivery takes three days.</p>'.repeat(6);

function page(inner) {
  return `<!DOCTYPE html>\n<html><head><title>Shop</title></head>\n<body><nav><a href="/">Home</a> <a href="/cart">Cart</a></nav><h1>Lamps</h1>\n${inner}\n${MORE}<footer>Imprint</footer></body></html>\n`;
}

export async function collect(keep) {
  if (!has('php')) return;
  for (const htmlErrors of ['1', '0']) {
    const root = folder();
    for (const [message, code] of Object.entries(MESSAGES))
      for (const [place, around] of Object.entries(PLACES)) file(join(root, `${message}.${place}.php`), around(code));
    file(join(root, 'parse.php'), '<?php\n$a = [1, 2;\n');
    file(join(root, 'parse-end.php'), '<h1>Shop</h1>\n<?php if (true) {\n');
    const port = await freePort();
    const settings = { display_errors: '1', error_reporting: '32767', html_errors: htmlErrors, log_errors: '0', max_execution_time: '5' };
    const ini = Object.entries(settings).flatMap(([name, value]) => ['-d', `${name}=${value}`]);
    const url = await serve('php', [...ini, '-S', `127.0.0.1:${String(port)}`, '-t', root], { port });
    const paths = [
      ...Object.keys(MESSAGES).flatMap((message) => Object.keys(PLACES).map((place) => `${message}.${place}`)),
      'parse',
      'parse-end',
    ];
    const chosen = paths.filter((path, at) => !path.includes('.') || /\.(?:alone|body)$/.test(path) || at % 3 === 0);
    for (const path of chosen) {
      const answer = await get(`${url}/${path}.php`).catch(() => null);
      const how = `php -S, html_errors=${htmlErrors}, ${path}`;
      if (answer !== null && /line|:\d+/.test(answer.body))
        keep({ ...answer, name: `php ${path} html_errors=${htmlErrors}`, how, isError: true });
    }
  }
}
