import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';
import { makeAuthority, makeIdentity } from '../../test/support/servers/certificates.ts';
import { DAY } from './happening.ts';

export const HOST = '127.0.0.1';
export const PORTS = { http: Number(process.env['DEMO_HTTP_PORT'] ?? '4180'), https: Number(process.env['DEMO_HTTPS_PORT'] ?? '4143') };

/** What is wrong with a page, by its path. */
export type Faults = ReadonlyMap<string, Fault>;
export type Fault = 'no price' | 'error 500' | 'degraded' | 'no database' | 'no form' | 'moved';

interface Page {
  readonly title: string;
  readonly body: (fault: Fault | undefined) => string;
}

const list = (items: readonly string[]): string => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;

const PAGES: Readonly<Record<string, Page>> = {
  '/shop/': {
    title: 'Alpine Shop: shoes and tents',
    body: () => `<h1>Alpine Shop</h1>${list(['Shoes', 'Tents', 'Maps'])}<p>Free delivery from €50.</p>`,
  },
  '/shop/shoes': {
    title: 'Trail shoes',
    body: (fault) =>
      `<h1>Trail shoes</h1><p class="price">${fault === 'no price' ? '€ NaN' : '€ 129.00'}</p><button>Add to basket</button>`,
  },
  '/shop/checkout': { title: 'Checkout', body: () => '<h1>Checkout</h1><form><input name="card"><button>Pay now</button></form>' },
  '/accounts/': {
    title: 'Sign in',
    body: (fault) => `<h1>Sign in</h1>${fault === 'no form' ? '<p></p>' : '<form><input name="email"><input name="password"></form>'}`,
  },
  '/blog/': {
    title: 'The Alpine Blog',
    body: (fault) =>
      fault === 'no database'
        ? '<h1>Error establishing a database connection</h1>'
        : `<h1>The Alpine Blog</h1>${list(['Packing light', 'Huts in winter'])}`,
  },
  '/docs/': { title: 'Documentation', body: () => `<h1>Documentation</h1>${list(['Orders', 'Returns', 'Webhooks'])}` },
  '/docs/webhooks': {
    title: 'Webhooks',
    body: (fault) => (fault === 'moved' ? '<h1>This page has moved</h1>' : '<h1>Webhooks</h1><p>Every delivery is signed.</p>'),
  },
  '/intranet/': { title: 'Intranet', body: () => `<h1>Intranet</h1>${list(['Shifts', 'Canteen', 'Holidays'])}` },
};

function answer(faults: Faults, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const fault = faults.get(url);
  if (fault === 'error 500') {
    response.writeHead(500, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Internal Server Error</h1>');
    return;
  }
  if (url === '/api/health') {
    const state = fault === 'degraded' ? { status: 'degraded', queue: 18_204 } : { status: 'ok', queue: 12 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(state));
    return;
  }
  const page = PAGES[url];
  response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
  const { title, body } = page ?? { title: 'Not found', body: () => '<h1>Not found</h1>' };
  response.end(
    `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n${body(fault)}\n</body>\n</html>\n`,
  );
}

/** The sites of the demo on this machine, each answering after its `delayOf`. They have a certificate of an authority of their own, which only the demo trusts. */
export async function openSites(
  folder: string,
  faults: Faults,
  delayOf: (path: string) => number = () => 0,
): Promise<{ readonly authority: string; close(): void }> {
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    setTimeout(
      () => {
        answer(faults, request, response);
      },
      delayOf(request.url ?? '/'),
    );
  };
  const servers: [Server, number][] = [
    [createHttpServer(listener), PORTS.http],
    [createHttpsServer(identityIn(folder), listener), PORTS.https],
  ];
  for (const [server, port] of servers)
    await new Promise<void>((listening, failed) => server.once('error', failed).listen(port, HOST, listening));
  return {
    authority: readFileSync(join(folder, AUTHORITY), 'utf8'),
    close: () => {
      for (const [server] of servers) server.close().closeAllConnections();
    },
  };
}

const AUTHORITY = 'authority.pem';

/** Made at the first time; later ones find it in the folder. */
function identityIn(folder: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  if (!existsSync(key)) {
    mkdirSync(folder, { recursive: true });
    const authority = makeAuthority();
    const made = makeIdentity({ hosts: [HOST], validTo: new Date(Date.now() + 61 * DAY) }, authority);
    writeFileSync(join(folder, AUTHORITY), authority.cert);
    writeFileSync(key, made.key, { mode: 0o600 });
    writeFileSync(cert, made.cert);
  }
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
