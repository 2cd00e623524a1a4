import { describe, expect, it } from '@jest/globals';
import { bodyWith, headersWith, UnusableValue, urlWith } from './placeholders.ts';

const SITE = 'https://site.example/shop';
const values = (value: string): ReadonlyMap<string, string> => new Map([['id', value]]);

describe('a value in a url', () => {
  it('is encoded, so that it stays within its part of the path or the query', () => {
    expect(urlWith('/a/{{id}}/b?x={{id}}', SITE, values('1/2?3#4&5=6 ü'))).toBe(
      'https://site.example/a/1%2F2%3F3%234%265%3D6%20%C3%BC/b?x=1%2F2%3F3%234%265%3D6%20%C3%BC',
    );
    expect(urlWith('/a/{{id}}', SITE, values('%2e%2e'))).toBe('https://site.example/a/%252e%252e');
    expect(urlWith('https://other.example/{{id}}', SITE, values('//evil.example'))).toBe('https://other.example/%2F%2Fevil.example');
  });

  it.each(['..', '.'])('is refused where it would lead to another path (%s)', (value) => {
    expect(() => urlWith('/users/{{id}}/orders', SITE, values(value))).toThrow(UnusableValue);
    expect(() => urlWith('/users/.{{id}}/orders', SITE, values('.'))).toThrow(UnusableValue);
  });

  it('is refused where the url would become too long', () => {
    expect(() => urlWith('/{{id}}{{id}}{{id}}', SITE, values('x'.repeat(4096)))).toThrow(UnusableValue);
  });

  it('leaves names alone that the test does not use', () => {
    expect(urlWith('/{{other}}?{{id}}', SITE, values('1'))).toBe('https://site.example/%7B%7Bother%7D%7D?1');
    expect(urlWith('/{{id}}', SITE, new Map())).toBe('https://site.example/%7B%7Bid%7D%7D');
  });

  it('cannot change the site', () => {
    expect(() => urlWith('https://a{{id}}/', SITE, values('.example'))).toThrow(UnusableValue);
    expect(() => urlWith('//site.example:{{id}}/', SITE, values('81'))).toThrow(UnusableValue);
  });
});

describe('a value in a header', () => {
  it('is sent as it is', () => {
    expect(headersWith([['Authorization', 'Bearer {{id}}']], values('a.b-c'))).toEqual([['Authorization', 'Bearer a.b-c']]);
  });

  it.each(['a\r\nX-Admin: 1', 'a\nb', '\u0000', '\u0085'])('is refused with a control character', (value) => {
    expect(() => headersWith([['X-A', '{{id}}']], values(value))).toThrow(UnusableValue);
  });

  it('is refused where the headers would become too long', () => {
    expect(() => headersWith([['X-A', '{{id}}'.repeat(5)]], values('x'.repeat(4096)))).toThrow(UnusableValue);
  });
});

describe('a value in a body', () => {
  it.each([
    ['application/json; charset=utf-8', '{"a":"{{id}}"}', '{"a":"x\\",\\"admin\\":\\"1\\n&<"}'],
    ['application/x-www-form-urlencoded', 'a={{id}}', 'a=x%22%2C%22admin%22%3A%221%0A%26%3C'],
    ['text/xml', '<a>{{id}}</a>', '<a>x&#34;,&#34;admin&#34;:&#34;1\n&#38;&#60;</a>'],
    ['text/plain', '{{id}}', 'x","admin":"1\n&<'],
  ])('is written as text of %s', (type, template, body) => {
    expect(bodyWith(template, type, values('x","admin":"1\n&<'))).toBe(body);
  });

  it('is refused where the body would become too long', () => {
    expect(() => bodyWith('{{id}}'.repeat(17), '', values('x'.repeat(4096)))).toThrow(UnusableValue);
  });
});
