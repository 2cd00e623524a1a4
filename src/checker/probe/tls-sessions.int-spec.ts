import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { constants, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions, TLSSocket } from 'node:tls';
import { authority } from '../../../test/support/probing.ts';
import { type Identity, makeIdentity } from '../../../test/support/servers/certificates.ts';
import { CachedResolver } from '../../platform/security/ssrf-guard/resolver.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { FetchOutcome } from './outcome.ts';
import { Prober } from './prober.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const good = makeIdentity({ hosts: ['site.test', 'other.test'] }, authority);
const soonExpired = makeIdentity({ hosts: ['site.test'], validTo: new Date(Date.now() + DAY) }, authority);

let now: number;
let addresses: string[];
let resumed: boolean[];
let server: Server;
let prober: Prober;

beforeEach(() => {
  now = Date.now();
  addresses = ['127.0.0.1'];
  resumed = [];
  const names = {
    resolve4: () => Promise.resolve({ kind: 'none' as const }),
    resolve6: () => Promise.resolve({ kind: 'none' as const }),
    lookup: () => Promise.resolve([]),
    heardAt: () => performance.now(),
  };
  const resolver = new CachedResolver({ hosts: { addresses: () => Promise.resolve(addresses) }, names, now: () => now });
  const guard = new SsrfGuard({ allowed: ['127.0.0.0/8'], resolver });
  prober = new Prober({ guard, extraRoots: [authority.cert], clock: { now: () => now } });
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function serve(options: TlsOptions, identity: Identity = good): Promise<void> {
  server = createServer({ ...identity, ...options }, (request, response) => {
    resumed.push((request.socket as TLSSocket).isSessionReused());
    response.end('hello');
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
}

const fetch = (resumeFor?: string, host = 'site.test'): Promise<FetchOutcome> =>
  prober.fetch({
    url: `https://${host}:${String((server.address() as AddressInfo).port)}/`,
    ...{ timeoutMs: 20_000, userAgent: 'x' },
    ...(resumeFor === undefined ? {} : { resumeFor }),
  });

async function answered(resumeFor?: string, host?: string): Promise<FetchOutcome> {
  const outcome = await fetch(resumeFor, host);
  if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
  return outcome;
}

const SERVERS: readonly [string, TlsOptions][] = [
  ['tickets of TLS 1.3', { minVersion: 'TLSv1.3' }],
  ['tickets of TLS 1.2', { maxVersion: 'TLSv1.2' }],
];

describe.each(SERVERS)('TLS sessions with %s', (_, options) => {
  it('resumes between full handshakes, and shows a certificate in a full one only', async () => {
    await serve(options);
    expect((await answered('a')).certificate).toMatchObject({ subject: 'CN=site.test', problem: null });
    for (let n = 0; n < 2; n++) expect((await answered('a')).certificate).toBeNull();
    expect(resumed).toEqual([false, true, true]);
  });

  it('makes a full handshake an hour after the last one, however many were resumed between', async () => {
    await serve(options);
    await answered('a');
    now += HOUR - 1;
    await answered('a');
    now += 1;
    expect((await answered('a')).certificate).not.toBeNull();
    expect((await answered('a')).certificate).toBeNull();
    expect(resumed).toEqual([false, true, false, true]);
  });

  it('makes a full handshake when the certificate is looked at, and by default', async () => {
    await serve(options);
    await answered('a');
    expect((await answered()).certificate).not.toBeNull();
    await answered('a');
    expect(resumed).toEqual([false, false, true]);
  });

  it('shares no session with another project, name or address', async () => {
    await serve(options);
    await answered('a');
    await answered('b');
    await answered('a', 'other.test');
    expect(resumed).toEqual([false, false, false]);
  });

  it('never uses a session of before a change of address, not even after the change back', async () => {
    await serve(options);
    await answered('a');
    for (const address of ['127.0.0.2', '127.0.0.1']) {
      addresses = [address];
      now += HOUR / 6;
      expect(await answered('a')).toMatchObject({ address });
    }
    expect(resumed).toEqual([false, false, false]);
  });

  it('accepts the full handshake of a server that changed its ticket key', async () => {
    await serve(options);
    await answered('a');
    server.setTicketKeys(randomBytes(48));
    expect((await answered('a')).certificate).not.toBeNull();
    expect((await answered('a')).certificate).toBeNull();
    expect(resumed).toEqual([false, false, true]);
  });

  it.each([
    ['its end in the past', { hosts: ['site.test'], validTo: new Date('2026-01-02') }],
    ['another name', { hosts: ['other.test'] }],
  ])('sees within the hour that the certificate changed to one with %s', async (_name, bad) => {
    const ticketKeys = randomBytes(48);
    await serve({ ...options, ticketKeys });
    await answered('a');
    server.setSecureContext({ ...makeIdentity(bad, authority), ...options, ticketKeys });
    now += HOUR;
    expect(await fetch('a')).toMatchObject({ kind: 'failed', code: 'certificate' });
    expect(await fetch('a')).toMatchObject({ kind: 'failed', code: 'certificate' });
    expect(resumed).toEqual([false]);
  });

  it('makes a full handshake once the certificate has expired', async () => {
    await serve(options, soonExpired);
    now += DAY - 60_000;
    await answered('a');
    await answered('a');
    now += 61_000;
    await answered('a');
    expect(resumed).toEqual([false, true, false]);
  });
});

describe('TLS sessions by id (TLS 1.2)', () => {
  const options: TlsOptions = { maxVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET };

  it('resumes them', async () => {
    await serve(options);
    const sessions = new Map<string, Buffer>();
    server.on('newSession', (id: Buffer, data: Buffer, done: () => void) => {
      sessions.set(id.toString('hex'), data);
      done();
    });
    server.on('resumeSession', (id: Buffer, done: (error: null, data: Buffer | null) => void) => {
      done(null, sessions.get(id.toString('hex')) ?? null);
    });
    for (let n = 0; n < 3; n++) await answered('a');
    expect(resumed).toEqual([false, true, true]);
  });

  it('repeats with a full handshake if the server breaks off the resumed one', async () => {
    await serve(options);
    const known = new Set<string>();
    server.on('newSession', (id: Buffer, _data: Buffer, done: () => void) => {
      known.add(id.toString('hex'));
      done();
    });
    let brokenOff = 0;
    server.on('resumeSession', (id: Buffer, done: (error: Error | null, data: null) => void) => {
      const isKnown = known.has(id.toString('hex'));
      if (isKnown) brokenOff++;
      done(isKnown ? new Error('broken') : null, null);
    });
    await answered('a');
    expect((await answered('a')).certificate).not.toBeNull();
    expect({ brokenOff, resumed }).toEqual({ brokenOff: 1, resumed: [false, false] });
  });
});
