import { afterAll, beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import { startHttp, type Site } from '../../../test/support/servers/site.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { encodeText } from '../page/encode-text.ts';
import { ProbeSession } from '../probe/probe-session.ts';
import { Prober } from '../probe/prober.ts';
import { FormReader } from './form-reader.ts';
import { FormSignIn, type SavedForm, type SignInResult } from './sign-in.ts';

const reader = new FormReader(compiledWorker(new URL('./forms-worker.ts', import.meta.url)));
afterAll(() => reader.close());
const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
const signIn = new FormSignIn(prober, reader);

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const FORM = (token: string, more = ''): string =>
  `<h1>Sign in</h1><form id=login method=post action="/session"><input name=user><input type=password name=pw><input type=hidden name=token value="${token}">${more}<button>Go</button></form>`;

let site: Site;
let more = '';
let elsewhere = '';
let seen: NodeJS.Dict<string | string[]>[] = [];
beforeEach(async () => {
  more = '';
  elsewhere = '';
  seen = [];
  const tokens = new Set<string>();
  site = await startHttp((request, response) => {
    seen.push(request.headers);
    const html = (text: string, headers = {}): unknown => response.writeHead(200, { 'Content-Type': 'text/html', ...headers }).end(text);
    const form = (): unknown => {
      const token = randomUUID();
      tokens.add(token);
      return html(FORM(token, more).replace('action="/session"', `action="${elsewhere}/session"`), {
        'Set-Cookie': `visit=${token}; Path=/`,
      });
    };
    if (request.url === '/login') return void form();
    if (request.url === '/broken') return void response.writeHead(503).end();
    if (request.url === '/private')
      return void html(request.headers.cookie?.includes('member=1') === true ? 'Welcome back' : 'Who are you?');
    return void bodyOf(request).then((body) => {
      const sent = new URLSearchParams(body);
      const token = sent.get('token') ?? '';
      const right =
        sent.get('user') === 'ann' &&
        sent.get('pw') === 's3cret' &&
        tokens.delete(token) &&
        request.headers.cookie?.includes(token) === true;
      return right ? response.writeHead(302, { Location: '/private', 'Set-Cookie': 'member=1; Path=/; HttpOnly' }).end() : form();
    });
  });
});
afterEach(() => site.close());

const saved = (changes: Partial<SavedForm> = {}): SavedForm => ({
  baseUrl: `${site.url}/login`,
  identifier: 'login',
  params: 'user=ann&pw=s3cret&token=old',
  origin: site.url,
  checksum: '',
  ...changes,
});
const enter = (form: SavedForm, session = new ProbeSession()): Promise<SignInResult> =>
  signIn.signIn(form, { timeoutMs: 3000, userAgent: 'test', session });

describe('a sign-in by form', () => {
  it('stores its cookies in the session, which later requests send', async () => {
    const session = new ProbeSession();
    const result = await enter(saved(), session);
    expect(result).toMatchObject({ kind: 'signedIn', changed: false });
    const page = await prober.fetch({ url: `${site.url}/private`, timeoutMs: 3000, userAgent: 'test', session });
    expect(page.kind === 'answered' && Buffer.from(page.body).toString()).toBe('Welcome back');
    const submitted = seen[1];
    expect(submitted?.referer).toBe(`${site.url}/login`);
    expect(submitted?.origin).toBe(site.url);
    expect(submitted?.['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('reports a changed form, and signs in nevertheless', async () => {
    const first = await enter(saved());
    const checksum = first.kind === 'signedIn' ? first.checksum : '';
    expect(await enter(saved({ checksum }))).toMatchObject({ kind: 'signedIn', changed: false });
    more = '<input name=company>';
    expect(await enter(saved({ checksum }))).toMatchObject({ kind: 'signedIn', changed: true });
  });

  it.each<[string, Partial<SavedForm>, string]>([
    ['a wrong password', { params: 'user=ann&pw=guess' }, 'the sign-in was refused: the form came back'],
    ['an unknown form', { identifier: 'other' }, 'the form other is not on the sign-in page'],
  ])('fails with %s', async (_, changes, reason) => {
    expect(await enter(saved(changes))).toMatchObject({ kind: 'failed', reason });
  });

  it('fails if the sign-in page returns an error or cannot be fetched', async () => {
    expect(await enter(saved({ baseUrl: `${site.url}/broken` }))).toMatchObject({
      kind: 'failed',
      reason: 'the sign-in page answered with status 503',
    });
    expect(await enter(saved({ baseUrl: 'http://10.0.0.1/' }))).toMatchObject({
      kind: 'failed',
      reason: 'the sign-in page cannot be fetched: 10.0.0.1 is not a public address',
    });
  });

  it('sends nothing to an origin other than that of the saved form', async () => {
    const thief = await startHttp((_, response) => response.end());
    elsewhere = thief.url;
    expect(await enter(saved())).toMatchObject({
      kind: 'failed',
      changed: true,
      reason: `the form now leads to ${thief.url}, and nothing was sent there`,
    });
    expect(seen).toHaveLength(1);
    await thief.close();
  });

  it('sends nothing to the origin that the sign-in page redirects to', async () => {
    const posted: string[] = [];
    const thief = await startHttp((request, response) => {
      if (request.method === 'POST') posted.push(request.url ?? '');
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(FORM('x'));
    });
    const opener = await startHttp((_, response) => response.writeHead(302, { Location: `${thief.url}/signin` }).end());
    const form = saved({ baseUrl: `${opener.url}/signin?to=${thief.url}`, origin: opener.url });
    expect(await enter(form)).toMatchObject({ kind: 'failed', reason: `the form now leads to ${thief.url}, and nothing was sent there` });
    expect(posted).toEqual([]);
    await Promise.all([thief.close(), opener.close()]);
  });

  it('sends the extra headers to the site of the saved page only', async () => {
    const provider: unknown[] = [];
    const login = await startHttp((request, response) => {
      provider.push(request.headers['x-stage']);
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(FORM('x').replace('type=password', ''));
    });
    const opener = await startHttp((_, response) => response.writeHead(302, { Location: `${login.url}/signin` }).end());
    const request = { timeoutMs: 3000, userAgent: 'test', session: new ProbeSession(), headers: [['X-Stage', '2']] as const };
    expect(await signIn.signIn(saved({ baseUrl: opener.url, origin: login.url }), request)).toMatchObject({ kind: 'signedIn' });
    expect(provider).toEqual([undefined, undefined]);
    await Promise.all([login.close(), opener.close()]);
  });
});

it.each([
  ['text/html; charset=windows-1250', 'accept-charset="nonsense, utf-8"', 'user=%C5%BDofie+%E2%82%AC&jm%C3%A9no=1&_charset_=utf-8'],
  ['text/html; charset=windows-1250', '', 'user=%8Eofie+%80&jm%E9no=1&_charset_=windows-1250'],
  ['text/html; charset=iso-8859-2', '', 'user=%AEofie+%26%238364%3B&jm%E9no=1&_charset_=iso-8859-2'],
  ['text/html; charset=utf-16le', '', 'user=%C5%BDofie+%E2%82%AC&jm%C3%A9no=1&_charset_=utf-8'],
])('submits a form of a page in %s, with %j, in the charset that its server expects', async (contentType, attribute, expected) => {
  const bodies: string[] = [];
  const charset = contentType.split('=')[1] ?? '';
  const page = `<form id=login method=post ${attribute}><input name=user><input name=jméno value=1><input type=hidden name=_charset_></form>`;
  const server = await startHttp((request, response) => {
    response.setHeader('Content-Type', contentType);
    if (request.method === 'GET') response.end(charset === 'utf-16le' ? Buffer.from(page, 'utf16le') : encodeText(page, charset));
    else void bodyOf(request).then((body) => response.end(String(bodies.push(body))));
  });
  const form = saved({ baseUrl: server.url, origin: server.url, params: new URLSearchParams({ user: 'Žofie €' }).toString() });
  expect(await enter(form)).toMatchObject({ kind: 'signedIn' });
  expect(bodies).toEqual([expected]);
  await server.close();
});

describe('a hostile page', () => {
  it('is refused, and does not affect the next page', async () => {
    expect(await reader.findForms('<div>'.repeat(100_000), site.url, 'utf-8')).toMatchObject({
      kind: 'refused',
      reason: 'the page is nested more than 1000 deep',
    });
    expect(await reader.findForms('x'.repeat(2_000_000), site.url, 'utf-8')).toMatchObject({
      kind: 'refused',
      reason: 'the page is larger than 1 MiB',
    });
    const formatting = `${Array.from({ length: 900 }, (_, i) => `<b a=${String(i)}>`).join('')}${'<p>x'.repeat(40_000)}`;
    expect((await reader.findForms(formatting, site.url, 'utf-8')).kind).toBe('refused');
    expect(await reader.findForms('<form id=a>', site.url, 'utf-8')).toMatchObject({ kind: 'read', forms: [{ identifier: 'a' }] });
  });
});
