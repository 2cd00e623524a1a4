import { describe, expect, it } from '@jest/globals';
import { readInput } from '../../platform/http/validation/input.ts';
import { AreaDto } from './area.api.ts';
import { MASK } from '../../kernel/text.ts';
import { readForm, readSignIn } from './area-settings.ts';

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
      form: { identifier: '', enabled: false, html: '', keptHtml: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), length: 6 } },
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
    [{ form: { baseUrl: 'ftp://site.example/' } }, 'form.baseUrl: is not a valid URL: only http and https are supported'],
    [{ httpAuth: { url: 'http://' } }, 'httpAuth.url: is not a valid URL'],
    [{ httpAuth: { user: 'a:b' } }, 'httpAuth.user: must not contain a colon'],
    [{ httpAuth: { url: 7 } }, 'httpAuth.url: must be text of at most 2048 characters'],
    [{ httpAuth: { realm: 'x' } }, 'httpAuth.realm: is not a known field'],
    [{ form: { enabled: 'yes' } }, 'form.enabled: must be true or false'],
    [{ form: { method: 'PUT' } }, 'form.method: must be one of GET, POST'],
    [{ form: { html: 'x'.repeat(16 * 1024 + 1) } }, 'form.html: must be text of at most 16384 characters'],
    [{ form: { submit: '' } }, 'form.submit: is not a known field'],
  ])('is refused by its path: %j', (given, message) => {
    const read = () => {
      const { form = {}, httpAuth = {} } = readInput(AreaDto, given);
      return [readForm(form, SITE), readSignIn(httpAuth, SITE)];
    };
    expect(read).toThrow(message);
  });
});
