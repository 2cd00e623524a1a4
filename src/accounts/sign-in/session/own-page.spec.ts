import { describe, expect, it } from '@jest/globals';
import { requireOwnPage } from './console-sessions.ts';

const page = { 'watchledger-console': '1', 'sec-fetch-site': 'same-origin' };
const ask = (headers: object, publicUrl?: string) => () => {
  requireOwnPage({ headers: { ...page, ...headers }, protocol: 'http', host: '127.0.0.1:3000' }, { publicUrl });
};

describe('a request with the session cookie', () => {
  it('comes from a page of the address that the browser used, or of PUBLIC_URL', () => {
    expect(ask({})).not.toThrow();
    expect(ask({ origin: 'http://127.0.0.1:3000' })).not.toThrow();
    expect(ask({ origin: 'https://watch.example' }, 'https://watch.example/below')).not.toThrow();
    expect(ask({ 'sec-fetch-site': undefined })).not.toThrow();
  });

  it.each([
    [{ 'watchledger-console': undefined }, /^Watchledger-Console: must be 1/],
    [{ 'watchledger-console': 'true' }, /^Watchledger-Console: must be 1/],
    [{ 'sec-fetch-site': 'none' }, /^Sec-Fetch-Site: must be same-origin, found "none"/],
    [{ origin: 'https://127.0.0.1:3000' }, /^Origin: .+ set PUBLIC_URL/],
    [{ origin: 'http://127.0.0.1' }, /^Origin: /],
    [{ origin: 'https://watch.example.evil.example' }, /^Origin: /],
    [{ origin: 'null' }, /^Origin: /],
    [{ origin: '' }, /^Origin: /],
  ])('is refused with %j', (headers, message) => {
    expect(ask(headers, 'https://watch.example')).toThrow(message);
  });
});
