import { describe, expect, it } from '@jest/globals';
import { AddressRules } from './address-rules.ts';
import { readTargetUrl } from './target-url.ts';

const rules = new AddressRules();
const reason = (text: string, base?: string): string | null => {
  const read = readTargetUrl(text, rules, base === undefined ? undefined : new URL(base));
  return read.ok ? null : read.reason;
};

describe('the text of a target', () => {
  it.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://①②⑦.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::]/',
    'http://0.0.0.0/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:1::1]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[fd00:ec2::254]/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://168.63.129.16/',
    'http://100.64.0.1/',
    'http://192.0.0.192/',
    'http://198.18.0.1/',
    'http://192.0.2.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://240.0.0.1/',
  ])('refuses %s', (url) => {
    expect(reason(url)).not.toBeNull();
  });

  it.each([
    ['file:///etc/passwd', 'file: is neither http nor https'],
    ['gopher://example.com/', 'gopher: is neither http nor https'],
    ['http://user@example.com/', 'the address carries a user name or password'],
    ['http://:secret@example.com/', 'the address carries a user name or password'],
    ['http://exa\nmple.com/', 'the address has a control character'],
    ['http://example.com/\t', 'the address has a control character'],
    ['http://example.com/\u0000', 'the address has a control character'],
    [' http://example.com/', 'the address has white space around it'],
    ['http://', 'the address cannot be read'],
    ['http://example.com:70000/', 'the address cannot be read'],
    ['http://example.com:6379/', 'port 6379 is not for web sites'],
    ['http://example.com:22/', 'port 22 is not for web sites'],
  ])('refuses %j and says why', (url, why) => {
    expect(reason(url)).toBe(why);
  });

  it.each([
    'http://example.com/',
    'https://example.com:8443/a?b#c',
    'http://93.184.215.14/',
    'http://[2606:4700::1111]/',
    'https://münchen.example/',
  ])('takes %s', (url) => {
    expect(reason(url)).toBeNull();
  });

  it('refuses a URL that is too long', () => {
    expect(reason(`http://example.com/${'a'.repeat(9000)}`)).toBe('the address is too long');
  });

  it('resolves a relative redirect against its page', () => {
    expect(reason('//169.254.169.254/', 'https://example.com/')).toBe('169.254.169.254 is not a public address');
    expect(reason('file:///etc/passwd', 'https://example.com/')).toBe('file: is neither http nor https');
    expect(reason('../a', 'https://example.com/b/c')).toBeNull();
  });

  it('opens the metadata of a cloud only where its address is allowed by itself', () => {
    const addresses = ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '100.100.100.200'];
    const judged = (allowed: readonly string[]) => addresses.map((address) => new AddressRules({ allowed }).refusal(address));
    const refused = addresses.map((address) => `${address} is a cloud metadata address`);
    expect(judged(['0.0.0.0/0', '169.254.0.0/16', '100.64.0.0/10', '::/0'])).toEqual(refused);
    expect(new AddressRules({ allowed: ['169.254.0.0/16'] }).refusal('169.254.1.1')).toBeNull();
    expect(judged([...addresses.filter((address) => !address.startsWith('::')), '0.0.0.0/0'])).toEqual(addresses.map(() => null));
  });

  it('refuses the ranges of DENY_TARGETS, although they are public or allowed', () => {
    const closed = new AddressRules({ allowed: ['10.0.0.0/8'], denied: ['93.184.215.0/24', '10.0.0.1'] });
    expect(['93.184.215.14', '::ffff:93.184.215.14', '10.0.0.1'].map((address) => closed.refusal(address) === null)).toEqual([
      false,
      false,
      false,
    ]);
    expect(['93.184.216.14', '10.0.0.2'].map((address) => closed.refusal(address))).toEqual([null, null]);
  });

  it('allows the ranges of ALLOW_TARGETS in each spelling, and nothing else', () => {
    const open = new AddressRules({ allowed: ['127.0.0.0/8', 'fd00:1::/32', '10.0.0.7'] });
    expect(['127.0.0.1', '::ffff:127.0.0.1', 'fd00:1::5', '10.0.0.7'].map((address) => open.refusal(address))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(['10.0.0.8', '::1', 'fd00:2::5'].map((address) => open.refusal(address) === null)).toEqual([false, false, false]);
  });
});
