import { describe, expect, it } from '@jest/globals';
import { HOST_NAME } from './status-page.settings.ts';
import { PageHosts } from './page-hosts.ts';

const rows = [{ row: { hosts: ['status.example.com', 'up.example.com'], settings: { slug: 'shop' } } }];

async function known(list: () => Promise<unknown> = () => Promise.resolve(rows)): Promise<PageHosts> {
  // Cast: nothing else of the views is used.
  const hosts = new PageHosts({ now: () => ({ list }) } as never);
  await hosts.read();
  return hosts;
}

describe('the host of a status page', () => {
  it('answers the page at /, its parts below it, and nothing else', async () => {
    const hosts = await known();
    const routed = (url: string, host: string | undefined) => hosts.rewritten({ url, headers: { host } });
    expect(
      ['/', '/?lang=de', '/feed.atom', '/-/leave?token=x', '/api/account', '/console', '/status/other', '//evil', '/../api'].map((url) =>
        routed(url, 'Status.Example.com.:8443'.replace('.:', ':')),
      ),
    ).toEqual([
      ...['/status/shop', '/status/shop?lang=de', '/status/shop/feed.atom', '/status/-/leave?token=x', '/status/shop/api/account'],
      ...['/status/shop/console', '/status/shop/status/other', '/status/shop//evil', '/status/shop/../api'],
    ]);
    for (const host of [undefined, 'example.com', 'status.example.com.evil.example', 'x.status.example.com'])
      expect([host, routed('/api/account', host), hosts.baseFor('shop', host)]).toEqual([host, '/api/account', '/status/shop']);
    expect([hosts.baseFor('shop', 'up.example.com:80'), hosts.baseFor('other', 'up.example.com')]).toEqual(['', '/status/other']);
  });

  it('stays while the database is away', async () => {
    let isAway = false;
    const hosts = await known(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(rows)));
    isAway = true;
    await hosts.read();
    expect(hosts.rewritten({ url: '/', headers: { host: 'up.example.com' } })).toBe('/status/shop');
  });

  it('is a name with a dot, and no address', () => {
    const names = ['status.example.com', 'xn--bcher-kva.example', 'a.b'];
    const others = [
      'localhost',
      '127.0.0.1',
      '[::1]',
      'exa mple.com',
      'a..b',
      '-a.com',
      'a.com:80',
      'A.com',
      'a.com.',
      '*.example.com',
      '',
    ];
    expect([names.map((name) => HOST_NAME.test(name)), others.filter((name) => HOST_NAME.test(name))]).toEqual([[true, true, false], []]);
  });
});
