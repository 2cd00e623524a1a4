import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { makeAuthority, makeIdentity } from '../../test/support/servers/certificates.ts';

export interface PageSite {
  readonly http: number;
  readonly https: number;
  /** The root of its ECDSA certificate. */
  readonly root: string;
  close(): void;
}

const WORDS =
  'Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua'.split(' ');

/** A typical page: about 20 KB, a third of it text, the rest markup, scripts and styles. */
export function twentyKilobytes(): string {
  const words = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => WORDS[(from + i * 7) % WORDS.length]).join(' ');
  const head = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Example shop &amp; more</title>
<meta name="description" content="All that you need"><meta property="og:title" content="Example shop"><meta property="og:image" content="/logo.png">
<style>${'.card{display:flex;margin:0 auto;color:#333}'.repeat(40)}</style><script>${'window.dataLayer=window.dataLayer||[];'.repeat(50)}</script></head><body>`;
  const cards = Array.from(
    { length: 65 },
    (_, i) =>
      `<div class="card" id="card-${String(i)}"><h2><a href="/item/${String(i)}">${words(i, 3)}</a></h2><p class="text">${words(i, 14)}.</p></div>\n`,
  );
  return `${head}<h1>Welcome to the shop</h1><nav><ul><li><a href="/about">About us</a></li><li><a href="/cart">Cart</a></li></ul></nav>${cards.join('')}<footer>Imprint</footer></body></html>`;
}

export interface PageSiteOptions {
  /** `0.0.0.0`: every loopback address is a different host. */
  readonly host?: string;
  readonly afterMs?: number;
}

export async function openPageSite(page: string, { host = '127.0.0.1', afterMs = 0 }: PageSiteOptions = {}): Promise<PageSite> {
  const authority = makeAuthority();
  const { key, cert } = makeIdentity({ hosts: ['localhost', '127.0.0.1'] }, authority);
  const child = fork(join(import.meta.dirname, 'page-server.mjs'), { execArgv: [] });
  child.send({ page, key, cert, host, afterMs });
  const [ports] = (await once(child, 'message')) as [{ http: number; https: number }];
  return { ...ports, root: authority.cert, close: () => child.disconnect() };
}
