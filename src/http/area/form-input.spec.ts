import { describe, expect, it } from '@jest/globals';
import { MASK, readForm, readSignIn } from './form-input.ts';

const SITE = 'https://site.example/shop';

describe('what a client writes of a sign-in', () => {
  it.each([{ password: '' }, { password: MASK }, { password: null }, { user: 'other' }])(
    'leaves the saved password alone with %p',
    (given) => {
      expect(readSignIn(given, SITE).password).toBeUndefined();
    },
  );

  it('names what it changes, and nothing else', () => {
    expect(readSignIn({ user: 'u', url: null, password: 'p' }, SITE)).toEqual({ signIn: { user: 'u' }, password: 'p' });
    expect(readForm({ params: MASK, method: 'POST', action: null }, SITE)).toEqual({ form: { method: 'POST' }, params: undefined });
    expect(readForm({ identifier: '', enabled: false, html: '<form>', params: 'a=b' }, SITE)).toEqual({
      form: { identifier: '', enabled: false, html: '<form>' },
      params: 'a=b',
    });
  });

  it('may name a page by its path, and is kept as the address that this is', () => {
    expect(readSignIn({ url: '/in' }, SITE).signIn).toEqual({ url: 'https://site.example/in' });
    expect(readForm({ baseUrl: 'in?a=1' }, SITE).form).toEqual({ baseUrl: 'https://site.example/in?a=1' });
    expect(readForm({ baseUrl: '' }, SITE).form).toEqual({ baseUrl: '' });
    expect(readForm({ baseUrl: 'https://login.example' }, SITE).form).toEqual({ baseUrl: 'https://login.example' });
  });

  it.each([
    [() => readForm({ baseUrl: 'ftp://site.example/' }, SITE), 'form.baseUrl: is not a valid URL: only http and https are supported'],
    [() => readSignIn({ url: 'http://' }, SITE), 'httpAuth.url: is not a valid URL'],
    [() => readSignIn({ user: 'a:b' }, SITE), 'httpAuth.user: must not contain a colon'],
    [() => readSignIn({ url: 7 }, SITE), 'httpAuth.url: must be text of at most 2048 characters'],
    [() => readSignIn({ realm: 'x' }, SITE), 'httpAuth.realm: is not a known field'],
    [() => readForm({ enabled: 'yes' }, SITE), 'form.enabled: must be true or false'],
    [() => readForm({ method: 'PUT' }, SITE), 'form.method: must be GET or POST'],
    [() => readForm({ html: 'x'.repeat(16 * 1024 + 1) }, SITE), 'form.html: must be text of at most 16384 characters'],
    [() => readForm({ submit: '' }, SITE), 'form.submit: is not a known field'],
  ])('is refused by its path (%#)', (read, message) => {
    expect(read).toThrow(message);
  });
});
