import { afterEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { answered, authority, fetch, OpenSites } from '../../../test/support/probing.ts';
import { makeIdentity } from '../../../test/support/servers/certificates.ts';
import { startHttp2 } from '../../../test/support/servers/site.ts';
import { type CheckMethod, checkMethods } from '../../projects/checks/check.settings.ts';

const sites = new OpenSites();
afterEach(() => sites.close());

const body = { contentType: 'application/json', bytes: Buffer.from('{"a":"ž"}') };
interface Received {
  readonly method: string;
  readonly url: string;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly body: string;
}

/** Keeps what it receives; `/<status>/…` redirects to the rest of the path. */
function recording(received: Received[], answer: RequestListener = (_, response) => void response.end('ok')): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const sent = Buffer.concat(chunks).toString();
      received.push({ method, url, type: headers['content-type'], length: headers['content-length'], body: sent });
      const redirect = /^\/(30\d)(\/.*)$/.exec(url);
      if (redirect === null) answer(request, response);
      else response.writeHead(Number(redirect[1]), { Location: redirect[2] }).end();
    });
  };
}

describe('a request with a method', () => {
  it.each([...checkMethods])('%s is sent, with a body only where it has one', async (method) => {
    const received: Received[] = [];
    const site = await sites.serve(recording(received));
    expect(await answered(site.url, { method, body })).toMatchObject({ status: 200, size: method === 'HEAD' ? 0 : 2 });
    expect(await answered(site.url, { method })).toMatchObject({ status: 200 });
    const hasBody = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method);
    const none = { method, url: '/', type: undefined, body: '' };
    const empty = { ...none, length: hasBody ? '0' : undefined };
    expect(received).toEqual([
      hasBody ? { method, url: '/', type: 'application/json', length: '10', body: '{"a":"ž"}' } : { ...none, length: undefined },
      empty,
    ]);
  });

  it('sends the same over HTTP/2', async () => {
    const received: Received[] = [];
    const listener = recording(received) as unknown as Parameters<typeof startHttp2>[1];
    const site = await sites.keep(startHttp2(makeIdentity({ hosts: ['site.test'] }, authority), listener));
    const url = `https://site.test:${String(site.port)}/`;
    expect(await answered(url, { method: 'PUT', body })).toMatchObject({ httpVersion: '2', status: 200 });
    expect(await answered(url, { method: 'HEAD' })).toMatchObject({ httpVersion: '2', status: 200, size: 0 });
    expect(received.map(({ method, type, body: sent }) => [method, type, sent])).toEqual([
      ['PUT', 'application/json', '{"a":"ž"}'],
      ['HEAD', undefined, ''],
    ]);
  });

  it('takes the content type of the extra headers, else plain text, if none is given', async () => {
    const received: Received[] = [];
    const site = await sites.serve(recording(received));
    const untyped = { ...body, contentType: '' };
    await answered(site.url, { method: 'POST', body: untyped });
    await answered(site.url, { method: 'POST', body: untyped, headers: [['content-type', 'text/csv']] });
    await answered(site.url, { method: 'POST', body, headers: [['content-type', 'text/csv']] });
    expect(received.map(({ type }) => type)).toEqual(['text/plain;charset=UTF-8', 'text/csv', 'application/json']);
  });

  it('answers HEAD without the announced body, also compressed', async () => {
    const site = await sites.serve((_, response) =>
      response.writeHead(200, { 'Content-Length': '5000', 'Content-Encoding': 'gzip' }).end(),
    );
    expect(await answered(site.url, { method: 'HEAD' })).toMatchObject({ status: 200, size: 0, cut: false });
  });

  it.each<[CheckMethod, number, string]>([
    ['POST', 301, 'GET'],
    ['POST', 302, 'GET'],
    ['POST', 303, 'GET'],
    ['POST', 307, 'POST'],
    ['POST', 308, 'POST'],
    ['PUT', 302, 'PUT'],
    ['PUT', 303, 'GET'],
    ['DELETE', 301, 'DELETE'],
    ['HEAD', 303, 'HEAD'],
    ['HEAD', 302, 'HEAD'],
    ['OPTIONS', 303, 'GET'],
    ['OPTIONS', 307, 'OPTIONS'],
  ])('%s follows %d with %s, and keeps the body with the method', async (method, status, next) => {
    const received: Received[] = [];
    const site = await sites.serve(recording(received));
    await answered(`${site.url}/${String(status)}/next`, { method, body });
    const keepsBody = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(next);
    expect(received.slice(1).map(({ method: used, url, body: sent }) => [used, url, sent])).toEqual([
      [next, '/next', keepsBody ? '{"a":"ž"}' : ''],
    ]);
  });

  it('is not repeated at another origin with a method that changes something', async () => {
    const received: Received[] = [];
    const site = await sites.serve(
      recording(
        received,
        (_, response) => void response.writeHead(307, { Location: `http://other.test:${String(site.port)}/stolen` }).end(),
      ),
    );
    for (const method of ['POST', 'DELETE'] as const)
      expect(await fetch(site.url, { method, body })).toMatchObject({ kind: 'failed', code: 'redirect' });
    expect(received.map(({ url }) => url)).toEqual(['/', '/']);
  });
});
