import { describe, expect, it } from '@jest/globals';
import { parseFields, patternField, tokenField } from './parse-settings.ts';

describe('parsing channel settings', () => {
  const fields = { user: tokenField('a user key'), pin: patternField(/^\d{4}$/, 'four digits') };

  it('accepts exactly the fields of the channel', () => {
    expect(parseFields({ user: 'u-1', pin: '1234' }, fields)).toEqual({ ok: true, settings: { user: 'u-1', pin: '1234' } });
    expect(parseFields({ user: 'u-1', pin: '1234', url: 'x' }, fields)).toEqual({ ok: false, reason: 'url: is not a known field' });
    expect(parseFields(JSON.parse('{"user":"u-1","pin":"1234","__proto__":"x"}') as Record<string, unknown>, fields)).toEqual({
      ok: false,
      reason: '__proto__: is not a known field',
    });
  });

  it('names every invalid field', () => {
    expect(parseFields({ user: 7 }, fields)).toEqual({
      ok: false,
      reason: 'user: must be a user key, without white space; pin: must be four digits',
    });
  });

  it.each(['a b', 'a\n', ' a', 'a'.repeat(257), 'ä', ''])('refuses %j, which could break a request, as a token', (user) => {
    expect(parseFields({ user, pin: '1234' }, fields)).toMatchObject({ ok: false });
  });
});
