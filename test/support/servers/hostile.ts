import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { makeAuthority, makeIdentity, type Authority, type Identity } from './certificates.ts';
import { startHttp, startHttp2, startHttps, startRaw, startSilent, type Site } from './site.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

/** Writes `bytes` in total, as fast as the client reads (with backpressure). */
function pour(socket: Socket, piece: Buffer, bytes = Infinity): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= piece.length;
      if (!socket.write(piece)) return void socket.once('drain', more);
    }
    if (!socket.destroyed) socket.end();
  };
  more();
}

function drip(socket: Socket, text: string, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text.charAt(at++ % text.length)), everyMs);
  socket.once('close', () => clearInterval(timer));
}

export const gzipBomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
export const brotliBomb = brotliCompressSync(Buffer.alloc(50 * 1024 * 1024));
const coded = (coding: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${HEAD}Content-Encoding: ${coding}\r\nContent-Length: ${String(body.length)}\r\n\r\n`), body]);

const hostileAuthority: Authority = makeAuthority('Hostile Root');
export const hostileRoot = hostileAuthority.cert;
const plainNamed = makeIdentity({ hosts: ['127.0.0.1'] }, hostileAuthority);
const longNamed = makeIdentity({ common: 'n'.repeat(64 * 1024), hosts: ['127.0.0.1'] }, hostileAuthority);

/** An identity with all intermediate certificates, as the server sends them. */
function longChained(length: number): Identity {
  let issuer = hostileAuthority;
  const between: string[] = [];
  for (let nth = 0; nth < length; nth++) {
    issuer = makeAuthority(`Hostile ${String(nth)}`, issuer);
    between.unshift(issuer.cert);
  }
  const { key, cert } = makeIdentity({ hosts: ['127.0.0.1'] }, issuer);
  return { key, cert: [cert, ...between].join('') };
}

/** Two hosts that redirect to each other. */
async function twoHosts(): Promise<Site> {
  let back = '';
  const other = await startHttp((_, response) => response.writeHead(302, { Location: back }).end(), '127.0.0.2');
  const site = await startHttp((_, response) => response.writeHead(302, { Location: other.url }).end());
  back = site.url;
  return site;
}

/** Ninety cookies with each of nine redirects. */
function thousandCookies(): Promise<Site> {
  return startHttp((request, response) => {
    const step = Number(request.url?.slice(1) ?? 0);
    const cookies = Array.from({ length: 90 }, (_, n) => `c${String(step)}-${String(n)}=${'v'.repeat(100)}`);
    if (step < 9) response.writeHead(302, { Location: `/${String(step + 1)}`, 'Set-Cookie': cookies }).end();
    else response.writeHead((request.headers.cookie?.split('; ').length ?? 0) <= 60 ? 200 : 431).end('hello');
  });
}

/** A server that answers with exactly these bytes. */
const answerWith = (text: string): Promise<Site> => startRaw((socket) => socket.end(Buffer.from(text, 'latin1')));

const page = (html: string): Promise<Site> =>
  startHttp((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(html));

/** Hostile servers by the attack they perform. */
export const hostileSites = {
  'never answers': () => startSilent(() => undefined),
  'drips its head': () => startRaw((socket) => drip(socket, HEAD, 100)),
  'drips its body': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}Content-Length: 1000\r\n\r\n`);
      drip(socket, 'x', 100);
    }),
  'resets in the head': () =>
    startRaw((socket) => {
      socket.write('HTTP/1.1 2');
      setTimeout(() => socket.resetAndDestroy(), 20);
    }),
  'resets in the body': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}Content-Length: 1000\r\n\r\nhalf`);
      setTimeout(() => socket.resetAndDestroy(), 20);
    }),
  'closes without an answer': () => startRaw((socket) => socket.end()),
  'sends a gigabyte': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}Content-Length: ${String(2 ** 30)}\r\n\r\n`);
      pour(socket, MEGABYTE, 2 ** 30);
    }),
  'sends a gzip bomb': () => startRaw((socket) => socket.end(coded('gzip', gzipBomb))),
  'sends a brotli bomb': () => startRaw((socket) => socket.end(coded('br', brotliBomb))),
  'compresses twice': () => startRaw((socket) => socket.end(coded('gzip, gzip', gzipSync(gzipBomb)))),
  'cuts its gzip short': () => startRaw((socket) => socket.end(coded('gzip', gzipSync('hello '.repeat(999)).subarray(0, 30)))),
  'sends garbage as gzip': () => startRaw((socket) => socket.end(coded('gzip', Buffer.from('this was never compressed')))),
  'sends 100,000 headers': () =>
    startRaw((socket) => {
      socket.write(HEAD);
      pour(socket, Buffer.from('X-A: b\r\n'.repeat(1000)), 800_000);
    }),
  'sends 101 short headers': () => startRaw((socket) => socket.end(`${HEAD}${'A: b\r\n'.repeat(100)}\r\n`)),
  'sends one endless header': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}X-A: `);
      pour(socket, MEGABYTE);
    }),
  'announces more than it sends': () => startRaw((socket) => socket.end(`${HEAD}Content-Length: 1000\r\n\r\nshort`)),
  'announces an invalid length': () => startRaw((socket) => socket.end(`${HEAD}Content-Length: many\r\n\r\nshort`)),
  'announces two lengths': () => startRaw((socket) => socket.end(`${HEAD}Content-Length: 3\r\nContent-Length: 5\r\n\r\nshort`)),
  'sends chunks that never end': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      drip(socket, '1\r\nx\r\n', 5);
    }),
  'leaves out the last chunk': () => startRaw((socket) => socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)),
  'sends chunks of no size': () => startRaw((socket) => socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`)),
  'sends interim answers without end': () =>
    startRaw((socket) => pour(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)))),
  'does not speak HTTP': () => startRaw((socket) => socket.end('220 mail.example ESMTP\r\n')),
  'redirects in a circle': () => startHttp((_, response) => response.writeHead(302, { Location: '/again' }).end()),
  'redirects to the metadata service': () =>
    startHttp((_, response) => response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data/' }).end()),
  'redirects to a file': () => startHttp((_, response) => response.writeHead(302, { Location: 'file:///etc/passwd' }).end()),
  'nests 500,000 deep': () => page('<div>'.repeat(500_000)),
  'sends binary data': () => page(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) & 255)).toString('latin1')),
  'shows a certificate with a name of 64 KB': () => startHttps(longNamed, (_, response) => response.end('hello')),
  'sends 200 headers over HTTP/2': () =>
    startHttp2(plainNamed, (_, response) =>
      response.writeHead(200, Object.fromEntries(Array.from({ length: 200 }, (__, i) => [`x-${String(i)}`, 'a']))).end(),
    ),
  'sends a large header over HTTP/2': () =>
    startHttp2(plainNamed, (_, response) => response.writeHead(200, { 'x-a': 'a'.repeat(30_000) }).end()),
  'sends a bomb over HTTP/2': () =>
    startHttp2(plainNamed, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipBomb)),
  'resets an HTTP/2 stream': () =>
    startHttp2(plainNamed, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('half');
      setTimeout(() => response.stream.close(2), 20);
    }),
  'stalls over HTTP/2': () => startHttp2(plainNamed, (_, response) => void response.writeHead(200).write('half')),
  'sends its body a byte a chunk': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      pour(socket, Buffer.from('1\r\nx\r\n'.repeat(20_000)));
    }),
  'sends trailers without end': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`);
      pour(socket, Buffer.from('X-A: b\r\n'.repeat(1000)), 800_000);
    }),
  'extends its chunks without end': () =>
    startRaw((socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5;`);
      pour(socket, MEGABYTE);
    }),
  'sends empty gzip members without end': () =>
    startRaw((socket) => socket.end(coded('gzip', Buffer.concat(Array<Buffer>(250_000).fill(gzipSync('')))))),
  'sends a length and chunks': () => answerWith(`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
  'sends an unknown transfer coding': () => answerWith(`${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
  'sends a negative length': () => answerWith(`${HEAD}Content-Length: -5\r\n\r\nhello`),
  'sends a list of lengths': () => answerWith(`${HEAD}Content-Length: 5, 6\r\n\r\nhello`),
  'sends a chunk size of twenty digits': () => answerWith(`${HEAD}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\nhello`),
  'puts a blank before a colon': () => answerWith(`${HEAD}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`),
  'puts a null into a header': () => answerWith(`${HEAD}X-A: a\u0000b\r\n\r\nhello`),
  'ends its lines with a bare carriage return': () => answerWith('HTTP/1.1 200 OK\rContent-Length: 5\r\rhello'),
  'sends two answers at once': () => answerWith(`${HEAD}Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno`),
  'switches the protocol unrequested': () =>
    answerWith('HTTP/1.1 101 Switching Protocols\r\nUpgrade: nothing\r\nConnection: Upgrade\r\n\r\nhello'),
  'sends an invalid status': () => answerWith('HTTP/1.1 99999 Odd\r\nContent-Length: 2\r\n\r\nok'),
  'redirects between two hosts': twoHosts,
  'sets a thousand cookies on the way': thousandCookies,
  'shows a chain of a hundred certificates': () => startHttps(longChained(100), (_, response) => response.end('hello')),
  'never ends its handshake': async () => {
    const site = await startSilent((socket) => socket.resume());
    return { ...site, url: site.url.replace('http:', 'https:') };
  },
  'sends interim answers without end over HTTP/2': () =>
    startHttp2(plainNamed, (_, response) => {
      const timer = setInterval(() => {
        for (let n = 0; n < 10 && !response.stream.destroyed; n++) response.stream.additionalHeaders({ ':status': 103 });
      }, 1);
      response.stream.once('close', () => clearInterval(timer));
    }),
} satisfies Record<string, () => Promise<Site>>;

export type Hostility = keyof typeof hostileSites;
