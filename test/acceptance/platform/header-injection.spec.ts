import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SmtpMailer } from '../../../src/platform/mail/smtp-mailer.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { createTestMailServer, type TestMailServer } from '../../support/servers/mail.ts';
import { type Site, startHttp } from '../../support/servers/site.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const seed = Number(process.env['HEADER_SEED'] ?? 1);
const runs = { numRuns: thorough(120, 40), seed };
const fewer = { numRuns: thorough(60, 20), seed };
let service: TestService;
let people: TestAccounts;
let site: Site;
let mail: TestMailServer;
let api: ApiClient;
let projectId: string;
let seen: Seen[] = [];
let usual: ReadonlySet<string>;

beforeAll(async () => {
  site = await startHttp((request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    const headers = rawHeaders.flatMap((text, index) =>
      index % 2 === 0 ? [[text.toLowerCase(), utf8(rawHeaders[index + 1] ?? '')] as const] : [],
    );
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.setHeader('content-type', 'text/html').end('<title>Site</title>');
    });
  });
  mail = await createTestMailServer();
  service = await sharedService();
  people = new TestAccounts(service);
  const admin = await people.admin();
  api = admin.api;
  projectId = await people.project(admin, site.url);
  await api.put(`/project/${projectId}`, { period: false, uptimeEnabled: false, httpsRedirectEnabled: false, delay: 0 });
  await firstProbesEnd();
  const plain = await fetched({ url: '/' });
  usual = new Set(plain?.headers.map(([name]) => name));
});
afterAll(async () => {
  await people.deleteProjects();
  await Promise.all([site.close(), mail.close()]);
});

/** They began before the project was paused; the homepage is inspected in any case. */
async function firstProbesEnd(): Promise<void> {
  await until(async () => (await api.get(`/project/${projectId}`)).body.isWordPress !== null, 20_000, 'the inspection of the homepage');
  for (let before = -1; before < seen.length;) {
    before = seen.length;
    await new Promise((done) => setTimeout(done, 1_500));
  }
}

/** Lone surrogates become U+FFFD. */
const wellFormed = (text: string): string => Buffer.from(text).toString('utf8');

/** Node decodes headers as latin1. */
const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

/** The single request of a trial, or null if the trial was refused. */
async function fetched(trial: object): Promise<Seen | null> {
  seen = [];
  const { status } = await api.post(`/project/${projectId}/try`, trial);
  expect([200, 400]).toContain(status);
  expect(seen.length).toBe(status === 200 ? 1 : 0);
  const [one = null] = seen;
  if (one !== null) expect([one.method, one.body]).toEqual(['GET', '']);
  return one;
}

const breaks = fc.constantFrom('\n', '\r\n', '\r', '\u0085', '\u2028', '\u000b', '\u0000', '%0d%0a', '嘊嘍', '\n ', '\r\n\t', '\\r\\n');
const name = fc.constantFrom(
  'X-One',
  'x-two',
  'X_3',
  'Accept',
  'Cookie',
  'User-Agent',
  'Host',
  'Transfer-Encoding',
  'Content-Length',
  'Connection',
  'X Y',
  '',
  ':',
  'X\u0000',
);
const value = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('a', 'ü', '\ud800', ' ', '1\r\nHost: evil.test', 'chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1'),
);
const lines = fc
  .array(fc.tuple(name, fc.constantFrom(': ', ':', ' : ', ''), value, breaks), { maxLength: 4 })
  .map((parts) => parts.flat().join(''));

describe(`Header injection, seed ${String(seed)}`, () => {
  it('sends exactly the extra headers that were set, or none', async () => {
    let taken = 0;
    const harmless = fc.asyncProperty(lines, async (w) => {
      const request = await fetched({ url: '/', options: { w } });
      if (request === null) return;
      taken++;
      const given = w
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const);
      const names = new Set(given.map(([one]) => one));
      expect(request.headers.filter(([one]) => !usual.has(one) && !names.has(one))).toEqual([]);
      expect(request.headers.length).toBeLessThanOrEqual(usual.size + given.length);
      for (const [one, text] of given)
        expect(
          request.headers
            .filter(([other]) => other === one)
            .map(([, sent]) => sent)
            .join(', '),
        ).toContain(wellFormed(text));
      expect(request.headers.filter(([one]) => one === 'host')).toEqual([['host', new URL(site.url).host]]);
    });
    await fc.assert(harmless, { ...runs, examples: [['X-One: a\r\nx-two: b'], ['X-One: ü']] });
    expect(taken).toBeGreaterThan(1);
  });

  it('sends no additional header from a user agent', async () => {
    const agent = fc.oneof(
      value,
      fc.tuple(value, breaks, value).map((parts) => parts.join('')),
    );
    const harmless = fc.asyncProperty(agent, async (userAgent) => {
      const { status } = await api.put(`/project/${projectId}`, { userAgent });
      expect([200, 400]).toContain(status);
      const request = await fetched({ url: '/' });
      const sent = request?.headers.filter(([one]) => one === 'user-agent') ?? [];
      expect(sent).toHaveLength(1);
      if (status === 200) expect(sent[0]?.[1]).toBe(userAgent.trim());
      expect(new Set(request?.headers.map(([one]) => one))).toEqual(usual);
    });
    await fc.assert(harmless, fewer);
  });

  it('sends no additional header from an address', async () => {
    const path = fc.tuple(fc.constantFrom('/', '/a', '?', ''), value, breaks, value).map((parts) => parts.join(''));
    const harmless = fc.asyncProperty(path, async (url) => {
      const request = await fetched({ url });
      if (request === null) return;
      expect(request.url).toMatch(/^\/[\x21-\x7e]*$/);
      expect(new Set(request.headers.map(([one]) => one))).toEqual(usual);
    });
    await fc.assert(harmless, { ...fewer, examples: [['/about?a=b']] });
  });

  it('sends no additional header from the text of a mail', async () => {
    const mailer = new SmtpMailer(mail.url, 'Watchledger <watchledger@example.test>');
    const words = fc
      .tuple(value, breaks, fc.constantFrom('Bcc: evil@example.test', 'X-One: a', '\r\n\r\n<script>', '.\r\nMAIL FROM:<a@b>'), value)
      .map((parts) => parts.join(''));
    const known = /^(from|to|subject|message-id|date|mime-version|content-type|content-transfer-encoding)$/;
    let number = 0;
    const harmless = fc.asyncProperty(words, words, async (subject, text) => {
      const to = `reader${String(++number)}@example.test`;
      expect(await mailer.send({ to, subject, text })).toEqual({ kind: 'sent' });
      const [received = ''] = mail.to(to);
      const [head = ''] = received.split('\r\n\r\n', 1);
      const names = head.split(/\r\n(?![ \t])/).map((line) => line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase());
      expect(names.filter((one) => !known.test(one))).toEqual([]);
      expect(mail.to('evil@example.test')).toEqual([]);
    });
    await fc.assert(harmless, fewer);
    mailer.close();
  });
});
