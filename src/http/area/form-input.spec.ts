import { describe, expect, it } from '@jest/globals';
import { MASK, readForm, readSignIn } from './form-input.ts';

describe('what a client writes of a sign-in', () => {
  it.each([{ password: '' }, { password: MASK }, { password: null }, { user: 'other' }])(
    'leaves the saved password alone with %p',
    (given) => {
      expect(readSignIn(given).password).toBeUndefined();
    },
  );

  it('names what it changes, and nothing else', () => {
    expect(readSignIn({ user: 'u', url: null, password: 'p' })).toEqual({ signIn: { user: 'u' }, password: 'p' });
    expect(readForm({ params: MASK, method: 'POST', action: null })).toEqual({ form: { method: 'POST' }, params: undefined });
    expect(readForm({ identifier: '', enabled: false, html: '<form>', params: 'a=b' })).toEqual({
      form: { identifier: '', enabled: false, html: '<form>' },
      params: 'a=b',
    });
  });

  it.each([
    [() => readSignIn({ user: 'a:b' }), 'httpAuth.user: must not contain a colon'],
    [() => readSignIn({ url: 7 }), 'httpAuth.url: must be text of at most 2048 characters'],
    [() => readSignIn({ realm: 'x' }), 'httpAuth.realm: is not a known field'],
    [() => readForm({ enabled: 'yes' }), 'form.enabled: must be true or false'],
    [() => readForm({ method: 'PUT' }), 'form.method: must be GET or POST'],
    [() => readForm({ html: 'x'.repeat(16 * 1024 + 1) }), 'form.html: must be text of at most 16384 characters'],
    [() => readForm({ submit: '' }), 'form.submit: is not a known field'],
  ])('is refused by its path (%#)', (read, message) => {
    expect(read).toThrow(message);
  });
});
