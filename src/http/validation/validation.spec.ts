import { describe, expect, it } from '@jest/globals';
import { IsObject, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { validationPipe } from './validation.pipe.ts';
import { IsEmailAddress } from './email.ts';
import { IfGiven } from './if-given.ts';
import { IsOneOf } from './one-of.ts';
import { ArePlainText, IsFilledText, IsPassword, IsPlainText } from './plain-text.ts';
import { IsSiteUrl } from './site-url.ts';
import { IsSwitch } from './switch.ts';
import { IsTimeZone } from './time-zone.ts';
import { AsWord, Trimmed } from './transforms.ts';
import { AreWhole, IsWhole } from './whole-number.ts';

class Inner {
  @IfGiven() @IsPlainText(3) word?: string;
}

class Sample {
  @IfGiven() @Trimmed() @IsFilledText(5) title?: string;
  @IfGiven() @IsPlainText(5) note?: string;
  @IfGiven() @IsPassword(3, 5) password?: string;
  @IfGiven() @ArePlainText(3, 2) vars?: string[];
  @IfGiven() @IsSwitch() on?: boolean;
  @IfGiven() @IsWhole(-1, 60) seconds?: number;
  @IfGiven() @AreWhole(1, 9, 3) users?: number[];
  @IfGiven() @IsTimeZone() zone?: string;
  @IfGiven() @IsEmailAddress() email?: string;
  @IfGiven() @IsSiteUrl() url?: string;
  @IfGiven() @AsWord() @IsOneOf(['15', 'false']) period?: string;
  @IfGiven() @IsObject() options?: object;
  @IfGiven() @Type(() => Inner) @ValidateNested() inner?: Inner;
}

/** What becomes of a body, or the sentences of its refusal. */
async function read(given: unknown): Promise<unknown> {
  try {
    return { ...((await validationPipe().transform(given, { type: 'body', metatype: Sample })) as object) };
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
  ])('%s takes %j', async (name, given, taken) => {
    expect(await read({ [name]: given })).toEqual({ [name]: taken });
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
    ['email', 'ada@example.com\ud800', 'must be an e-mail address'],
    ['email', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.com`, 'must be an e-mail address'],
    ['url', 'ftp://example.com', 'is not a valid URL: only http and https are supported'],
    ['url', 7, 'is not a valid URL: it is not text'],
    ['options', [], 'must be an object'],
    ['period', 16, 'must be one of 15, false'],
    ['period', 'true', 'must be one of 15, false'],
  ])('%s refuses %j in its own name', async (name, given, words) => {
    expect(await read({ [name]: given })).toBe(`${name}: ${words}`);
  });
});

describe('a body', () => {
  it('that is not there is an empty one; a list, a text or null is none', async () => {
    expect(await read(undefined)).toEqual({});
    for (const given of [[], [{}], 'text', null, 7]) expect(await read(given)).toBe('The body must be a JSON object.');
  });

  it('is refused with a sentence for each field that does not fit, by its path', async () => {
    expect(await read({ on: 'x', inner: { word: 'long', other: 1 }, more: 1 })).toBe(
      [
        'more: is not a known field',
        'on: must be true or false',
        'inner.other: is not a known field',
        'inner.word: must be text of at most 3 characters without control characters',
      ].join('; '),
    );
  });

  it.each(['constructor', 'toString', '__proto__'])('has no field that every object has: %s', async (name) => {
    expect(await read(JSON.parse(`{"${name}":{}}`))).toBe(`${name}: is not a known field`);
  });
});
