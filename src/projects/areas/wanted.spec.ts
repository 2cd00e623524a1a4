import { describe, expect, it } from '@jest/globals';
import { type AreaForm, type AreaSettings, type AreaSignIn, emptyForm, publicArea, submissionOrigin } from './area.settings.ts';
import { anchored, settled } from './wanted.ts';

const SITE = 'https://site.example/shop';
const sealed = { subject: 'project-p', sealed: 'x' };
const other = { subject: 'project-p', sealed: 'y' };
const signIn: AreaSignIn = { user: 'u', password: sealed, url: 'https://login.example/' };
const form: AreaForm = { ...emptyForm, identifier: 'f', enabled: true, params: sealed };

const withSignIn = (wanted: Partial<AreaSignIn>, httpAuth: AreaSignIn | null = signIn): Partial<AreaSettings> =>
  settled({ ...publicArea, httpAuth }, { httpAuth: wanted }, SITE);
const withForm = (wanted: Partial<AreaForm>, today: AreaForm | null = form): Partial<AreaSettings> =>
  settled({ ...publicArea, form: today }, { form: wanted }, SITE);

it('keeps what is not named, and leaves alone what is not spoken of', () => {
  expect(settled({ ...publicArea, form, httpAuth: signIn }, { name: 'Shop' }, SITE)).toEqual({ name: 'Shop' });
  expect(withSignIn({ user: 'other' })).toEqual({ httpAuth: { ...signIn, user: 'other' } });
  expect(withForm({ method: 'POST' })).toEqual({ form: { ...form, method: 'POST' } });
});

it('is none without a user, without a form', () => {
  expect(withSignIn({ user: '' })).toEqual({ httpAuth: null });
  expect(withSignIn({ url: 'https://login.example/' }, null)).toEqual({ httpAuth: null });
  expect(withForm(emptyForm)).toEqual({ form: null });
  expect(withForm({ identifier: 'g' }, null)).toEqual({ form: { ...emptyForm, identifier: 'g' } });
});

describe('a saved password', () => {
  it('is kept while its sign-in stays on its site', () => {
    expect(withSignIn({ url: 'https://login.example/elsewhere' })).toMatchObject({ httpAuth: { password: sealed } });
  });

  it.each(['https://evil.example/', 'http://login.example/', 'https://login.example:8443/', ''])(
    'does not follow its sign-in to %j, but can be given again',
    (url) => {
      expect(() => withSignIn({ url })).toThrow('httpAuth.password: must be given again, because url leads to another site');
      expect(withSignIn({ url, password: other })).toMatchObject({ httpAuth: { password: other, url } });
    },
  );

  it('belongs to the site of the project where no url was given', () => {
    const own = { ...signIn, url: '' };
    expect(withSignIn({ url: 'https://site.example/login' }, own)).toMatchObject({ httpAuth: { password: sealed } });
    expect(() => withSignIn({ url: 'https://evil.example/' }, own)).toThrow('must be given again');
  });
});

describe('saved parameters of a form', () => {
  it.each<Partial<AreaForm>>([{ method: 'POST' }, { baseUrl: 'https://site.example/login' }, { action: 'https://site.example/session' }])(
    'are kept with %p',
    (wanted) => {
      expect(withForm(wanted)).toMatchObject({ form: { params: sealed } });
    },
  );

  it('do not follow a form without an action to another site', () => {
    for (const action of ['https://evil.example/', '//evil.example/'])
      expect(() => withForm({ action })).toThrow('form.params: must be given again');
    expect(withForm({ action: '/session' })).toMatchObject({ form: { params: sealed } });
  });

  it.each([
    ['', '', 'https://site.example'],
    ['', 'https://login.example/in', 'https://login.example'],
    ['/session', 'https://login.example/in', 'https://login.example'],
    ['//evil.example/', '', 'https://evil.example'],
    ['https://login.example/session', '', 'https://login.example'],
  ])('with the action %j on the page %j are for %s only', (action, baseUrl, origin) => {
    expect(submissionOrigin({ action, baseUrl }, SITE)).toBe(origin);
  });

  it('do not follow the form to another site', () => {
    const saved = { ...form, action: 'https://login.example/session' };
    for (const wanted of [{ baseUrl: 'https://evil.example/' }, { action: 'https://evil.example/' }, { action: '' }]) {
      expect(() => withForm(wanted, saved)).toThrow('form.params: must be given again');
      expect(withForm({ ...wanted, params: other }, saved)).toMatchObject({ form: { params: other } });
    }
  });
});

describe('when the project moves', () => {
  it('binds saved secrets without an address to the site that they were given for, and nothing else', () => {
    expect(anchored({ ...publicArea, form, httpAuth: { ...signIn, url: '' } }, SITE)).toEqual({
      form: { ...form, baseUrl: SITE },
      httpAuth: { ...signIn, url: SITE },
    });
    expect(anchored({ ...publicArea, form: { ...form, baseUrl: 'https://site.example/in' }, httpAuth: signIn }, SITE)).toEqual({});
    expect(anchored({ ...publicArea, form: { ...form, params: null }, httpAuth: { ...signIn, url: '', password: null } }, SITE)).toEqual(
      {},
    );
    expect(anchored(publicArea, SITE)).toEqual({});
  });
});
