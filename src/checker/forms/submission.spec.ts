import { describe, expect, it } from '@jest/globals';
import { submissionOf, submittedFields } from './submission.ts';

const fields = [
  { name: 'user', value: 'default', hidden: false },
  { name: 'token', value: 'fresh', hidden: true },
  { name: 'lang', value: 'en', hidden: false },
];

describe('a submission', () => {
  it('has the saved values, the hidden and default values of the page, and further saved fields', () => {
    expect(submittedFields(fields, 'user=me&token=stale&extra=1&extra=2')).toEqual([
      ['user', 'me'],
      ['token', 'fresh'],
      ['lang', 'en'],
      ['extra', '1'],
      ['extra', '2'],
    ]);
  });

  it('has the saved button instead of the default one', () => {
    const form = [
      { name: 'user', value: '', hidden: false },
      { name: 'back', value: '1', hidden: false },
    ];
    expect(submittedFields(form, 'user=me&in=1', ['back', 'in'])).toEqual([
      ['user', 'me'],
      ['in', '1'],
    ]);
    expect(submittedFields(form, 'user=me', ['back', 'in'])).toEqual([
      ['user', 'me'],
      ['back', '1'],
    ]);
    expect(submittedFields(form, 'user=me&back=1', ['back', 'in'])).toEqual([
      ['user', 'me'],
      ['back', '1'],
    ]);
  });

  it('replaces placeholders by random letters, plain or encoded', () => {
    const [[, plain] = ['', '']] = submittedFields(fields, 'user=a-%{random:5}@example.com');
    expect(plain).toMatch(/^a-[a-z]{5}@example\.com$/);
    const values = new Set(Array.from({ length: 20 }, () => submittedFields(fields, 'user=%25%7Brandom%3A12%7D')[0]?.[1]));
    expect(values.size).toBe(20);
    expect(submittedFields(fields, 'user=%{random:999}')[0]?.[1]).toHaveLength(64);
    expect(submittedFields([{ name: 'a', value: '%{random:5}', hidden: false }], '')[0]?.[1]).toBe('%{random:5}');
  });

  it('uses the method and the encoding of the form', () => {
    const form = {
      method: 'GET',
      action: 'https://a.test/s?lang=en#top',
      encoding: 'application/x-www-form-urlencoded',
      charset: 'utf-8',
      fields: [{ name: 'q', value: 'a b&č\n', hidden: false }],
      buttons: [],
    } as const;
    expect(submissionOf(form, '')).toEqual({ method: 'GET', url: 'https://a.test/s?lang=en&q=a+b%26%C4%8D%0D%0A' });
    const post = submissionOf({ ...form, method: 'POST' }, '');
    expect(Buffer.from(post.body?.bytes ?? []).toString()).toBe('q=a+b%26%C4%8D%0D%0A');
    expect(post.url).toBe(form.action);
    const parts = submissionOf(
      { ...form, method: 'POST', encoding: 'multipart/form-data', fields: [{ name: 'a"b', value: 'x', hidden: false }] },
      '',
    ).body;
    const boundary = parts?.contentType.split('boundary=')[1] ?? '';
    expect(Buffer.from(parts?.bytes ?? []).toString()).toBe(
      `--${boundary}\r\nContent-Disposition: form-data; name="a%22b"\r\n\r\nx\r\n--${boundary}--\r\n`,
    );
    expect(Buffer.from(submissionOf({ ...form, method: 'POST', encoding: 'text/plain' }, '').body?.bytes ?? []).toString()).toBe(
      'q=a b&č\r\n\r\n',
    );
  });
});
