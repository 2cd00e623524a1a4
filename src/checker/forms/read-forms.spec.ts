import { describe, expect, it } from '@jest/globals';
import { paramsOf, type FoundForm } from './found-form.ts';
import { readForms } from './read-forms.ts';

const URL_ = 'https://example.com/account/login?next=1';
const forms = (html: string): FoundForm[] => readForms({ html, url: URL_, charset: 'utf-8' });
const only = (html: string): FoundForm => {
  const [form] = forms(html);
  if (form === undefined) throw new Error('no form');
  return form;
};

describe('readForms', () => {
  it('identifies a form by id, name or index', () => {
    expect(
      forms('<form id=a name=b></form><form name=b></form><form></form><form id=" "></form>').map(({ identifier }) => identifier),
    ).toEqual(['a', 'b', '#3', '#4']);
  });

  it.each([
    ['action="check.php?x=1"', 'check.php?x=1', '/account/check.php?x=1', 'https://example.com/account/check.php?x=1'],
    ['action="/in"', '/in', '/in', 'https://example.com/in'],
    ['action="https://sso.example.com/in"', 'https://sso.example.com/in', 'https://sso.example.com/in', 'https://sso.example.com/in'],
    ['', '', '/account/login?next=1', URL_],
    ['action="http://["', 'http://[', '/account/login?next=1', URL_],
  ])('resolves the action of a form with %j', (attribute, originalAction, relativeAction, action) => {
    expect(only(`<form ${attribute}>`)).toMatchObject({ originalAction, relativeAction, action, baseUrl: URL_, method: 'GET' });
  });

  it('resolves actions against the base of the page', () => {
    expect(only('<base href="/shop/"><form action="in" method="POST" enctype="multipart/form-data">')).toMatchObject({
      action: 'https://example.com/shop/in',
      method: 'POST',
      encoding: 'multipart/form-data',
    });
  });

  it('returns the fields that a browser would submit', () => {
    const form = only(`<form id=f><input name=user value=" a b "><input type=password name=pw><input type=hidden name=token value=t1>
      <input type=checkbox name=stay checked><input type=checkbox name=no><input type=radio name=r value=1><input type=radio name=r value=2 checked>
      <input name=off disabled value=x><fieldset disabled><input name=inside value=x></fieldset><select name=s><option value=1>One<option selected>Two</select>
      <select name=m multiple><option selected>a<option selected>b</select><textarea name=t>
line</textarea><input value=nameless><input type=file name=f><button type=button name=plain value=x>x</button>
      <button name=go value=1>Go</button><input type=submit name=other value=Other><input type=reset name=reset value=x></form><input form=f name=outside value=y>`);
    expect(new URLSearchParams(paramsOf(form)).toString()).toBe(
      new URLSearchParams([
        ['user', ' a b '],
        ['pw', ''],
        ['token', 't1'],
        ['stay', 'on'],
        ['r', '2'],
        ['s', 'Two'],
        ['m', 'a'],
        ['m', 'b'],
        ['t', 'line'],
        ['f', ''],
        ['go', '1'],
        ['outside', 'y'],
      ]).toString(),
    );
    expect(form.fields.filter(({ hidden }) => hidden).map(({ name }) => name)).toEqual(['token']);
    expect(form.hasPassword).toBe(true);
  });

  it('marks fields as hidden that only the page fills in, but not a checkbox with a hidden companion', () => {
    const form =
      only(`<form><input type=hidden name=token value=t><input type=hidden name=terms value=0><input type=checkbox name=terms value=1>
      <input type=hidden name=ids value=1><input type=hidden name=ids value=2></form>`);
    expect(form.fields.map(({ name, hidden }) => [name, hidden])).toEqual([
      ['token', true],
      ['terms', false],
      ['ids', true],
      ['ids', true],
    ]);
  });

  it('lists the submit buttons, and uses action, method and encoding of the default one', () => {
    const form = only(`<form method=post action=/in><button name=back value=1>Back</button><button type=button name=no>No</button>
      <button name=in value=1 formaction="/elsewhere">In</button><input type=submit disabled name=off></form>`);
    expect(form).toMatchObject({ buttons: ['back', 'in'], action: 'https://example.com/in' });
    expect(
      only(
        '<form action=/in><input name=user><button formaction="/real" formmethod=post formenctype=multipart/form-data>In</button></form>',
      ),
    ).toMatchObject({ action: 'https://example.com/real', originalAction: '/in', method: 'POST', encoding: 'multipart/form-data' });
    expect(only('<form method=post action=/in><button formaction="" formmethod=get>In</button></form>')).toMatchObject({
      action: URL_,
      method: 'GET',
    });
  });

  it('computes a checksum of the markup without the tokens', () => {
    const sum = (html: string): string => only(html).checksum;
    const form = '<form><input type=hidden name=t value=1><input name=user></form>';
    expect(sum(form.replace('value=1', 'value=2'))).toBe(sum(form));
    expect(sum(form.replace('<input name=user>', '<input   name=user>'))).toBe(sum(form));
    expect(sum(form.replace('name=user', 'name=login'))).not.toBe(sum(form));
    expect(sum(form.replace('name=t', 'name=u'))).not.toBe(sum(form));
  });

  it('runs no scripts of the page', () => {
    expect(forms('<script>document.write("<form id=made></form>")</script><img src=x onerror="1">')).toEqual([]);
  });
});
