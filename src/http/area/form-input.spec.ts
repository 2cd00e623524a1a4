import { describe, expect, it } from '@jest/globals';
import type { AreaForm, AreaSignIn } from '../../domain/area/settings.ts';
import { emptyForm, MASK, readForm, readSignIn } from './form-input.ts';

const SITE = 'https://site.example/shop';
const sealed = { subject: 'project-p', sealed: 'x' };
const signIn: AreaSignIn = { user: 'u', password: sealed, url: 'https://login.example/' };
const form: AreaForm = { ...emptyForm, identifier: 'f', enabled: true, params: sealed };

describe('a saved password', () => {
  it.each([{ password: '' }, { password: MASK }, { user: 'other' }, { url: 'https://login.example/elsewhere' }])(
    'is kept when %p is sent',
    (given) => {
      expect(readSignIn(given, signIn, SITE)).toMatchObject({ password: undefined });
    },
  );

  it.each(['https://evil.example/', 'http://login.example/', 'https://login.example:8443/', ''])(
    'does not follow its sign-in to %j, but can be given again',
    (url) => {
      expect(() => readSignIn({ url }, signIn, SITE)).toThrow('httpAuth.password: must be given again, because url leads to another site');
      expect(readSignIn({ url, password: 'p' }, signIn, SITE)).toMatchObject({ password: 'p', signIn: { url } });
    },
  );

  it('belongs to the site of the project where no url was given', () => {
    const own = { ...signIn, url: '' };
    expect(readSignIn({ url: 'https://site.example/login' }, own, SITE)).toMatchObject({ password: undefined });
    expect(() => readSignIn({ url: 'https://evil.example/' }, own, SITE)).toThrow('must be given again');
  });
});

describe('saved parameters of a form', () => {
  it.each([{ params: MASK }, { method: 'POST' }, { baseUrl: 'https://site.example/login' }, { action: 'https://site.example/session' }])(
    'are kept when %p is sent',
    (given) => {
      expect(readForm(given, form, SITE)).toMatchObject({ params: undefined });
    },
  );

  it('do not follow the form to another site', () => {
    const saved = { ...form, action: 'https://site.example/session' };
    for (const given of [{ baseUrl: 'https://evil.example/' }, { action: 'https://evil.example/' }, { action: '' }]) {
      expect(() => readForm(given, saved, SITE)).toThrow('form.params: must be given again');
      expect(readForm({ ...given, params: 'a=b' }, saved, SITE)).toMatchObject({ params: 'a=b' });
    }
  });
});
