import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { get, createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import axios from 'axios';
import { startDnsServer, type DnsReply, type DnsServer } from '../../../../test/support/servers/dns-server.ts';
import { SsrfGuard } from './ssrf-guard.ts';
import { guardedAgents } from './guarded-agents.ts';
import { systemNames } from './name-source.ts';
import { CachedResolver } from './resolver.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function names(
  reply: (name: string, nth: number) => DnsReply,
  options?: { root?: boolean },
): Promise<{ server: DnsServer; resolver: CachedResolver; tick: (ms: number) => void }> {
  const server = await startDnsServer(reply, options);
  closers.push(() => server.close());
  let time = 0;
  const source = systemNames(server.resolver);
  const resolver = new CachedResolver({
    names: {
      resolve4: (host) => source.resolve4(host),
      resolve6: (host) => source.resolve6(host),
      heardAt: () => source.heardAt(),
      lookup: () => Promise.resolve([]),
    },
    hosts: { addresses: () => Promise.resolve([]) },
    now: () => time,
  });
  return { server, resolver, tick: (ms) => (time += ms) };
}

async function listener(): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.host ?? '');
    response.end('hello');
  }).listen(0, '127.0.0.1');
  closers.push(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, seen };
}

describe('names', () => {
  it('refuses a name when one of its addresses is forbidden', async () => {
    const { resolver } = await names(() => ({ addresses: ['93.184.215.14', '10.0.0.1'] }));
    expect(await new SsrfGuard({ resolver }).targets('mixed.test')).toEqual({
      kind: 'refused',
      reason: 'mixed.test is not a public address',
    });
  });

  it('checks again when the second lookup has another answer', async () => {
    const { resolver, tick } = await names((_, nth) => ({ addresses: [nth === 1 ? '93.184.215.14' : '127.0.0.1'], ttl: 1 }));
    const guard = new SsrfGuard({ resolver });
    expect(await guard.targets('rebind.test')).toEqual({ kind: 'allowed', addresses: ['93.184.215.14'] });
    tick(1001);
    expect(await guard.targets('rebind.test')).toMatchObject({ kind: 'refused' });
  });

  it('caches an answer for its time to live, and shares one query between concurrent callers', async () => {
    const { resolver, server, tick } = await names(() => ({ addresses: ['93.184.215.14'], ttl: 30 }));
    await Promise.all([resolver.resolve('a.test'), resolver.resolve('A.test.'), resolver.resolve('a.test')]);
    tick(29_000);
    await resolver.resolve('a.test');
    expect(server.asked.filter((question) => question === 'a.test A')).toHaveLength(1);
    tick(1_001);
    await resolver.resolve('a.test');
    expect(server.asked.filter((question) => question === 'a.test A')).toHaveLength(2);
  });

  it('distinguishes a name that does not exist, failing name servers, and no reachable name server', async () => {
    const { resolver } = await names((name) => (name === 'missing.test' ? 'nxdomain' : name === 'ill.test' ? 'servfail' : 'silent'));
    expect(await resolver.resolve('missing.test')).toEqual({ kind: 'unknown', reason: 'the name missing.test does not exist' });
    expect(await resolver.resolve('ill.test')).toEqual({ kind: 'unknown', reason: 'the name servers of ill.test fail (ESERVFAIL)' });
    expect(await resolver.resolve('mute.test')).toEqual({ kind: 'unknown', reason: 'the name servers of mute.test do not answer' });
    const deaf = await names(() => 'silent', { root: false });
    expect(await deaf.resolver.resolve('mute.test')).toEqual({ kind: 'inconclusive', reason: 'no name server answers' });
  });

  it('resolves to IPv6 only on request', async () => {
    const { resolver } = await names((name) => ({
      addresses: name === 'six.test' ? ['93.184.215.14', '2606:4700::1111'] : ['93.184.215.14'],
    }));
    expect(await resolver.resolve('six.test', 'ipv6')).toEqual({
      kind: 'found',
      addresses: ['2606:4700::1111'],
    });
    expect(await resolver.resolve('four.test', 'ipv6')).toEqual({ kind: 'unknown', reason: 'four.test has no IPv6 address' });
  });
});

describe('sockets', () => {
  it('connects only to checked addresses, through agents, axios and plain connections', async () => {
    const { port, seen } = await listener();
    const { resolver } = await names(() => ({ addresses: ['127.0.0.1'] }));
    const open = guardedAgents(new SsrfGuard({ resolver, allowed: ['127.0.0.0/8'] }));
    expect((await axios.get(`http://inside.test:${String(port)}/`, { ...open, proxy: false })).data).toBe('hello');

    const shut = new SsrfGuard({ resolver });
    const agents = { ...guardedAgents(shut), proxy: false as const };
    for (const host of ['inside.test', '127.0.0.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]']) {
      await expect(axios.get(`http://${host}:${String(port)}/`, agents)).rejects.toThrow(/is not a public address/);
      await expect(axios.get(`https://${host}:${String(port)}/`, agents)).rejects.toThrow(/is not a public address/);
    }
    const [error] = (await once(get({ host: 'inside.test', port, lookup: shut.lookup }), 'error')) as [Error];
    expect(error.message).toBe('inside.test is not a public address');
    for (const host of ['127.0.0.1', 'inside.test']) {
      const [refused] = (await once(shut.connect({ host, port }), 'error')) as [Error];
      expect(refused.message).toBe(`${host} is not a public address`);
    }
    expect(seen).toHaveLength(1);
  });

  it('says to the log which address it refused, first once a minute for each host, and counts each', async () => {
    const { resolver } = await names(() => ({ addresses: ['127.0.0.1'] }));
    const logged: unknown[] = [];
    const guard = new SsrfGuard({ resolver, onRefused: (refused) => logged.push(refused) });
    const answers = [await guard.targets('inside.test'), await guard.targets('inside.test')];
    expect(JSON.stringify(answers)).not.toContain('127.0.0.1');
    expect(logged).toEqual([true, false].map((isFirst) => ({ host: 'inside.test', reason: '127.0.0.1 is a loopback address', isFirst })));
  });

  it('refuses ports of internal services whatever the address', () => {
    const { httpAgent } = guardedAgents(new SsrfGuard({ allowed: ['127.0.0.0/8'] }));
    expect(() => get({ host: '127.0.0.1', port: 6379, agent: httpAgent })).toThrow('port 6379 is not for web sites');
  });

  it('destroys a socket that connected to another address', async () => {
    const { port } = await listener();
    const { resolver } = await names(() => 'nxdomain');
    const socket = new SsrfGuard({ resolver }).watch(connect(port, '127.0.0.1'));
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toBe('the server is not a public address');
  });
});
