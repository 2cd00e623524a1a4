import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { file, freePort, get, npm, serve } from '../software.mjs';

const BREAK = `
const port = Number(process.env.PORT);
class Cart { total(rows) { return rows.reduce((sum, row) => sum + row.price.amount, 0); } }
const WAYS = {
  type: () => new Cart().total([{}]),
  reference: () => undefinedName,
  thrown: () => { throw new Error('No price for item 17'); },
  lines: () => { throw new RangeError('first line\\nsecond <b>line</b>'); },
  cause: () => { try { new Cart().total([{}]); } catch (cause) { throw new Error('Cannot show the cart', { cause }); } },
  json: () => JSON.parse('{"price":'),
  database: async () => { const { DatabaseSync } = await import('node:sqlite'); return new DatabaseSync(':memory:').prepare('SELECT price FROM items'); },
  connect: async () => { const { connect } = await import('node:net'); await new Promise((_, no) => connect(1, '127.0.0.1').on('error', no)); },
  rejected: async () => { await null; throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:5432') }); },
};
`;
const WAYS = ['type', 'reference', 'thrown', 'lines', 'cause', 'json', 'database', 'connect', 'rejected'];

const APPS = {
  express: {
    packages: ['express@5'],
    code: `import express from 'express';
const app = express();
app.get('/', (_, res) => res.send('ok'));
app.get('/:way', async (req, res) => res.send(String(await WAYS[req.params.way]())));
app.listen(port);`,
  },
  express4: {
    packages: ['express@4', 'ejs'],
    code: `import express from 'express';
import { writeFileSync } from 'node:fs';
const app = express();
writeFileSync('page.ejs', '<h1>Shop</h1>\\n<p><%= cart.rows.length %></p>\\n');
app.set('views', '.');
app.get('/', (_, res) => res.send('ok'));
app.get('/template', (_, res) => res.render('page.ejs'));
app.get('/missing', (_, res) => res.render('nothing.ejs'));
app.get('/:way', (req, res, next) => Promise.resolve().then(() => WAYS[req.params.way]()).then((x) => res.send(String(x)), next));
app.listen(port);`,
  },
  'express-pug': {
    packages: ['express@4', 'pug'],
    code: `import express from 'express';
import { writeFileSync } from 'node:fs';
const app = express();
writeFileSync('page.pug', 'h1 Shop\\np= cart.rows.length\\n');
app.set('views', '.');
app.get('/', (_, res) => res.send('ok'));
app.get('/template', (_, res) => res.render('page.pug'));
app.listen(port);`,
  },
  errorhandler: {
    packages: ['express@4', 'errorhandler'],
    code: `import express from 'express';
import errorhandler from 'errorhandler';
const app = express();
app.get('/', (_, res) => res.send('ok'));
app.get('/:way', (req, res, next) => Promise.resolve().then(() => WAYS[req.params.way]()).then((x) => res.send(String(x)), next));
app.use(errorhandler({ log: false }));
app.listen(port);`,
  },
  connect: {
    packages: ['connect'],
    code: `import connect from 'connect';
connect().use((req, res, next) => { const way = req.url.slice(1); if (way === '') return res.end('ok'); Promise.resolve().then(() => WAYS[way]()).then((x) => res.end(String(x)), next); }).listen(port);`,
  },
  koa: {
    packages: ['koa'],
    code: `import Koa from 'koa';
const app = new Koa(); app.silent = true;
app.use(async (ctx) => { const way = ctx.path.slice(1); ctx.body = way === '' ? 'ok' : String(await WAYS[way]()); });
app.listen(port);`,
  },
  fastify: {
    packages: ['fastify@5'],
    code: `import fastify from 'fastify';
const app = fastify();
app.get('/', async () => 'ok');
app.get('/:way', async (req) => String(await WAYS[req.params.way]()));
await app.listen({ port });`,
  },
  hono: {
    packages: ['hono', '@hono/node-server'],
    code: `import { Hono } from 'hono';
import { serve } from '@hono/node-server';
const app = new Hono();
app.get('/', (c) => c.text('ok'));
app.get('/:way', async (c) => c.text(String(await WAYS[c.req.param('way')]())));
serve({ fetch: app.fetch, port });`,
  },
  h3: {
    packages: ['h3@1'],
    code: `import { createApp, createRouter, eventHandler, toNodeListener } from 'h3';
import { createServer } from 'node:http';
const app = createApp({ debug: process.env.NODE_ENV !== 'production' });
app.use(createRouter().get('/', eventHandler(() => 'ok')).get('/:way', eventHandler(async (event) => String(await WAYS[event.context.params.way]()))));
createServer(toNodeListener(app)).listen(port);`,
  },
  restify: {
    packages: ['restify'],
    code: `import restify from 'restify';
const app = restify.createServer();
app.get('/', (_, res, next) => { res.send('ok'); next(); });
app.get('/:way', async (req, res) => { res.send(String(await WAYS[req.params.way]())); });
app.listen(port);`,
  },
  hapi: {
    packages: ['@hapi/hapi'],
    code: `import Hapi from '@hapi/hapi';
const app = Hapi.server({ port, host: '127.0.0.1' });
app.route({ method: 'GET', path: '/', handler: () => 'ok' });
app.route({ method: 'GET', path: '/{way}', handler: async (req) => String(await WAYS[req.params.way]()) });
await app.start();`,
  },
  polka: {
    packages: ['polka'],
    code: `import polka from 'polka';
polka().get('/', (_, res) => res.end('ok')).get('/:way', async (req, res) => res.end(String(await WAYS[req.params.way]()))).listen(port);`,
  },
  nest: {
    packages: ['@nestjs/core', '@nestjs/common', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
    code: `import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Controller, Get, Module, Param } from '@nestjs/common';
class Shop { home() { return 'ok'; } async broken(way) { return String(await WAYS[way]()); } }
Controller()(Shop);
for (const [name, path] of [['home', ''], ['broken', ':way']]) Get(path)(Shop.prototype, name, Object.getOwnPropertyDescriptor(Shop.prototype, name));
Param('way')(Shop.prototype, 'broken', 0);
class App {} Module({ controllers: [Shop] })(App);
await (await NestFactory.create(App, { logger: false })).listen(port);`,
  },
  youch: {
    packages: ['youch@4'],
    code: `import { Youch } from 'youch';
import { createServer } from 'node:http';
createServer(async (req, res) => {
  const way = req.url.slice(1);
  if (way === '') return res.end('ok');
  try { res.end(String(await WAYS[way]())); } catch (error) { res.writeHead(500, { 'content-type': 'text/html' }); res.end(await new Youch().toHTML(error, { title: 'An error has occurred' })); }
}).listen(port);`,
  },
  youch2: {
    packages: ['youch@2'],
    code: `import Youch from 'youch';
import { createServer } from 'node:http';
createServer(async (req, res) => {
  const way = req.url.slice(1);
  if (way === '') return res.end('ok');
  try { res.end(String(await WAYS[way]())); } catch (error) { res.writeHead(500, { 'content-type': 'text/html' }); res.end(await new Youch(error, {}).toHTML()); }
}).listen(port);`,
  },
  'http-plain': {
    packages: [],
    code: `import { createServer } from 'node:http';
createServer(async (req, res) => {
  const way = req.url.slice(1);
  if (way === '') return res.end('ok');
  try { res.end(String(await WAYS[way]())); } catch (error) { res.setHeader('content-type', 'text/html'); res.end('<pre>' + error.stack.replace(/</g, '&lt;') + '</pre>'); }
}).listen(port);`,
  },
  'http-proxy': {
    packages: ['express@4', 'http-proxy-middleware@3'],
    code: `import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
const app = express();
app.get('/', (_, res) => res.send('ok'));
app.use(createProxyMiddleware({ target: 'http://127.0.0.1:1' }));
app.listen(port);`,
  },
};

export async function collect(keep) {
  for (const [name, { packages, code }] of Object.entries(APPS)) {
    let root;
    try {
      root = npm(...(packages.length === 0 ? ['ms'] : packages));
    } catch {
      console.error(`  ${name}: could not be installed`);
      continue;
    }
    file(join(root, 'app.mjs'), BREAK + code);
    for (const mode of ['development', 'production']) {
      const port = await freePort();
      const settings = { port, cwd: root, env: { PORT: String(port), NODE_ENV: mode, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' } };
      const started = await serve(process.execPath, ['--unhandled-rejections=warn', 'app.mjs'], settings).catch((error) => error);
      if (started instanceof Error) {
        console.error(`  ${name}: ${started.message.slice(0, 300)}`);
        break;
      }
      for (const way of [...(mode === 'development' ? WAYS : ['type', 'database']), 'template', 'missing']) {
        const answer = await get(`${started}/${way}`).catch(() => null);
        if (answer === null || (answer.status < 400 && name !== 'http-plain')) continue;
        if (name === 'http-proxy' && way !== 'type') continue;
        if (answer.status === 404 || answer.type.includes('json')) continue;
        keep({
          ...answer,
          name: `${name} ${way} ${mode}`,
          how: `${packages.join(', ')} from npm, NODE_ENV=${mode}, ${way}`,
          isError: true,
        });
      }
    }
  }
  await frameworks(keep);
}

/** Frameworks that have a project and a development server of their own. */
async function frameworks(keep) {
  const next = tryNpm('next@15', 'react@19', 'react-dom@19');
  if (next !== null) {
    file(join(next, 'pages/index.js'), 'export default function Page() { return "ok"; }');
    file(join(next, 'pages/thrown.js'), 'export function getServerSideProps() { throw new Error("No price"); } export default () => null;');
    file(
      join(next, 'pages/render.js'),
      'export function getServerSideProps() { return { props: {} }; } export default ({ cart }) => cart.rows.length;',
    );
    for (const mode of ['dev', 'start']) {
      if (mode === 'start') execFileSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], { cwd: next, stdio: 'ignore' });
      const port = await freePort();
      const args = ['node_modules/next/dist/bin/next', mode, '-p', String(port)];
      const url = await serve(process.execPath, args, {
        port,
        cwd: next,
        env: { NODE_ENV: mode === 'dev' ? 'development' : 'production', NEXT_TELEMETRY_DISABLED: '1' },
      });
      for (const path of ['thrown', 'render'])
        keep({
          ...(await get(`${url}/${path}`, { timeout: 60_000 })),
          name: `next ${path} ${mode}`,
          how: `next@15 ${mode}, ${path}`,
          isError: true,
        });
    }
  }
  const vite = tryNpm('vite@6');
  if (vite !== null) {
    file(join(vite, 'index.html'), '<!DOCTYPE html><html><body><h1>Shop</h1><script type="module" src="/main.js"></script></body></html>');
    file(
      join(vite, 'broken.html'),
      '<!DOCTYPE html><html><body><h1>Shop</h1><script type="module">import "./missing.js"; const a = ;</script></body></html>',
    );
    file(
      join(vite, 'vite.config.js'),
      'export default { plugins: [{ name: "x", transformIndexHtml: (html, { path }) => { if (path !== "/index.html") throw new Error("No price"); return html; } }] };',
    );
    const port = await freePort();
    const url = await serve(process.execPath, ['node_modules/vite/bin/vite.js', '--port', String(port), '--host', '127.0.0.1'], {
      port,
      cwd: vite,
    });
    const answer = await get(`${url}/broken.html`);
    if (answer.status >= 500) keep({ ...answer, name: 'vite broken', how: 'vite@6, a plugin that throws', isError: true });
  }
}

function tryNpm(...packages) {
  try {
    return npm(...packages);
  } catch {
    console.error(`  ${packages[0]}: could not be installed`);
    return null;
  }
}
