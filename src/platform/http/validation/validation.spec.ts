import { describe, expect, it } from '@jest/globals';
import { InvalidInput } from '../../../kernel/errors.ts';
import { validationPipe } from './validation.pipe.ts';
import {
  emailAddress,
  filledText,
  object,
  oneOfWords,
  password,
  plainText,
  siteUrl,
  texts,
  timeZone,
  trimmed,
  whole,
  wholes,
  yesOrNo,
} from './fields.ts';
import { InlineInput, Optional } from './input.ts';

@InlineInput('Inside')
class Inner {
  @Optional(plainText('', 3)) word?: string;
}

class Sample {
  @Optional(trimmed(filledText('', 5))) title?: string;
  @Optional(plainText('', 5)) note?: string;
  @Optional(password('', 3, 5)) password?: string;
  @Optional(texts('', { item: '', maxLength: 3, maxItems: 2 })) vars?: string[];
  @Optional(yesOrNo('')) on?: boolean;
  @Optional(whole('', -1, 60)) seconds?: number;
  @Optional(wholes('', { item: '', minimum: 1, maximum: 9, maxItems: 3 })) users?: number[];
  @Optional(timeZone('')) zone?: string;
  @Optional(emailAddress('')) email?: string;
  @Optional(siteUrl('', '')) url?: string;
  @Optional(oneOfWords('', ['15', 'false'])) period?: '15' | 'false';
  @Optional(object(Inner)) inner?: Inner;
}

/** The input that a body is read into, or the sentences of its refusal. */
function read(given: unknown): unknown {
  try {
    return { ...(validationPipe().transform(given, { type: 'body', metatype: Sample }) as object) };
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

describe('a field', () => {
  it.each<[string, unknown, unknown]>([
    ['title', ' abc ', 'abc'],
    ['title', 'abcde', 'abcde'],
    ['note', '', ''],
    ['note', 'a\n\tb', 'a\n\tb'],
    ['note', '😀', '😀'],
    ['password', '\u0000\ud800x', '\u0000\ud800x'],
    ['password', 'abcde', 'abcde'],
    ['vars', [], []],
    ['vars', ['abc', ''], ['abc', '']],
    ['on', true, true],
    ['on', 'False', false],
    ['on', 1, true],
    ['on', '0', false],
    ['seconds', -1, -1],
    ['seconds', '60', 60],
    ['seconds', '-1', -1],
    ['users', [1, '9'], [1, 9]],
    ['users', [1, 2, 3], [1, 2, 3]],
    ['zone', 'Europe/Prague', 'Europe/Prague'],
    ['email', 'ada@example.com', 'ada@example.com'],
    ['url', 'example.com', 'example.com'],
    ['period', 15, '15'],
    ['period', false, 'false'],
  ])('%s takes %j', (name, given, taken) => {
    expect(read({ [name]: given })).toEqual({ [name]: taken });
  });

  const text = 'must be text of at most 5 characters without control characters';
  const list = 'must be a list of 1 to 3 whole numbers from 1 to 9';
  it.each<[string, unknown, string]>([
    ['title', '', 'must be text of 1 to 5 characters without control characters'],
    ['title', '  ', 'must be text of 1 to 5 characters without control characters'],
    ['title', 'abcdef', 'must be text of 1 to 5 characters without control characters'],
    ['note', 7, text],
    ['note', null, text],
    ['note', 'abcdef', text],
    ['note', 'a\u0000', text],
    ['note', 'a\u007f', text],
    ['note', 'a\ud800', text],
    ['password', 'ab', 'must be text of 3 to 5 characters'],
    ['password', 'abcdef', 'must be text of 3 to 5 characters'],
    ['password', 12345, 'must be text of 3 to 5 characters'],
    ['vars', ['a', 'b', 'c'], 'must be a list of at most 2 texts of at most 3 characters'],
    ['vars', ['abcd'], 'must be a list of at most 2 texts of at most 3 characters'],
    ['vars', 'a', 'must be a list of at most 2 texts of at most 3 characters'],
    ['on', 'yes', 'must be true or false'],
    ['on', 2, 'must be true or false'],
    ['on', null, 'must be true or false'],
    ['on', 'constructor', 'must be true or false'],
    ['seconds', -2, 'must be a whole number from -1 to 60'],
    ['seconds', 61, 'must be a whole number from -1 to 60'],
    ['seconds', 1.5, 'must be a whole number from -1 to 60'],
    ['seconds', '1e1', 'must be a whole number from -1 to 60'],
    ['seconds', '', 'must be a whole number from -1 to 60'],
    ['seconds', true, 'must be a whole number from -1 to 60'],
    ['users', [], list],
    ['users', [1, 2, 3, 4], list],
    ['users', [1, 10], list],
    ['users', '1', list],
    ['zone', 'Prague', 'must be the name of a time zone, such as Europe/Prague'],
    ['zone', '+02:00', 'must be the name of a time zone, such as Europe/Prague'],
    ['email', 'ada', 'must be an e-mail address'],
    ['email', '"a\r\nRCPT TO:<x>"@example.test', 'must be an e-mail address'],
    ['email', '"a b"@example.test', 'must be an e-mail address'],
    ['email', 'ada@example.com\ud800', 'must be an e-mail address'],
    ['email', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.com`, 'must be an e-mail address'],
    ['url', 'ftp://example.com', 'is not a valid URL: only http and https are supported'],
    ['url', 7, 'is not a valid URL: it is not text'],
    ['inner', [], 'must be an object'],
    ['inner', null, 'must be an object'],
    ['period', 16, 'must be one of 15, false'],
    ['period', 'true', 'must be one of 15, false'],
  ])('%s refuses %j in its own name', (name, given, words) => {
    expect(read({ [name]: given })).toBe(`${name}: ${words}`);
  });
});

describe('a body', () => {
  it('that is missing is read as an empty object; a list, a text or null is refused', () => {
    expect(read(undefined)).toEqual({});
    for (const given of [[], [{}], 'text', null, 7]) expect(read(given)).toBe('The body must be a JSON object.');
  });

  it('is refused with a sentence for each invalid field, by its path', () => {
    expect(read({ on: 'x', inner: { word: 'long', other: 1 }, extra: 1 })).toBe(
      [
        'extra: is not a known field',
        'inner.other: is not a known field',
        'on: must be true or false',
        'inner.word: must be text of at most 3 characters without control characters',
      ].join('; '),
    );
  });

  it('is refused with every problem: its field, what is allowed, and the known name that a misspelt one is nearest to', () => {
    try {
      validationPipe().transform(
        { titel: 'x', inner: { wort: 'x' }, seconds: 61, period: 'x', on: 'x', vars: 1 },
        { type: 'body', metatype: Sample },
      );
      throw new Error('it was accepted');
    } catch (error) {
      const problems = error instanceof InvalidInput ? error.problems : [];
      expect(problems.map(({ param, allowed }) => [param, allowed])).toEqual([
        ['titel', undefined],
        ['inner.wort', undefined],
        ['vars', { maxItems: 2 }],
        ['on', [true, false]],
        ['seconds', { minimum: -1, maximum: 60 }],
        ['period', ['15', 'false']],
      ]);
      expect(problems.slice(0, 2).map(({ message }) => message)).toEqual([
        'titel: is not a known field; did you mean "title"?',
        'inner.wort: is not a known field; did you mean "inner.word"?',
      ]);
    }
  });

  it('names at most 20 problems, and counts the others', () => {
    const names = Array.from({ length: 150 }, (_, n) => `n${String(n)}`);
    const sentences = String(read(Object.fromEntries(names.map((name) => [name, 1])))).split('; ');
    expect(sentences).toEqual([...names.slice(0, 20).map((name) => `${name}: is not a known field`), 'and 130 more problems']);
  });

  it.each(['constructor', 'toString', '__proto__'])('cannot have a field with the name of an inherited one: %s', (name) => {
    expect(read(JSON.parse(`{"${name}":{}}`))).toBe(`${name}: is not a known field`);
  });
});
