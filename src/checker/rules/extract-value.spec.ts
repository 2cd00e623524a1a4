import { describe, expect, it } from '@jest/globals';
import { Page } from '../page/page.ts';
import { capturingProblem, extractValue } from './extract-value.ts';
import type { StoredAnswer } from './stored-answer.ts';

const html = '<form><input name="csrf" value="q1w2"></form>';

function found(from: string, body = html): string | null {
  const headers = [
    ['Content-Type', 'text/html'],
    ['X-Id', ' 42 '],
    ['Set-Cookie', 'sid=first; Path=/'],
    ['set-cookie', 'sid = second=2; HttpOnly'],
  ] as const;
  const answer: StoredAnswer = {
    ...{ url: 'https://site.example/', httpVersion: '1.1', status: 200, statusText: 'OK', headers, redirectedBy: null, cut: false },
    body: Buffer.from(body),
  };
  const page = new Page({ body: answer.body, contentType: 'text/html', cut: false });
  const extracted = extractValue({ name: 'v', from }, answer, page);
  return extracted.ok ? extracted.value : extracted.sentence.replace(/^.*, but /, '');
}

describe('extractValue', () => {
  it.each([
    ['header:x-id', html, '42'],
    ['cookie:sid', html, 'second=2'],
    ['pattern:name="csrf" value="([^"]+)"', html, 'q1w2'],
    ['json:$.user.token', '{"user":{"token":"t\\u0041"}}', 'tA'],
    ['json:$.ids[*]', '{"ids":[7,8]}', '7'],
  ])('takes the first value of %s', (from, body, value) => {
    expect(found(from, body)).toBe(value);
  });

  it.each([
    ['header:x-other', html, 'found no value'],
    ['cookie:other', html, 'found no value'],
    ['pattern:nothing(.)', html, 'found no value'],
    ['json:$.a', '{"a":null}', 'found no value'],
    ['json:$.a', '{"a":""}', 'found no value'],
    ['json:$.a', 'no JSON', 'found no value'],
    ['json:$.a', `{"a":"${'x'.repeat(4097)}"}`, 'the value is longer than 4 KiB'],
    ['json:$.a', '{"a":"\\ud800"}', 'the value is not well-formed text'],
  ])('says what is wrong with %s', (from, body, problem) => {
    expect(found(from, body)).toBe(problem);
  });

  it('accepts patterns with exactly one group', () => {
    expect(['a(b)', '(?:a)(b)', 'ab', '(a)(b)'].map((pattern) => capturingProblem(pattern) === null)).toEqual([true, true, false, false]);
  });
});
