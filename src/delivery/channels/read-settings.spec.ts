import { describe, expect, it } from '@jest/globals';
import { key, plainKey, readFields } from './read-settings.ts';

describe('the settings of a channel', () => {
  const fields = { user: plainKey('a user key'), pin: key(/^\d{4}$/, 'four digits') };

  it('are the fields that the channel knows, and nothing else', () => {
    expect(readFields({ user: 'u-1', pin: '1234' }, fields)).toEqual({ ok: true, settings: { user: 'u-1', pin: '1234' } });
    expect(readFields({ user: 'u-1', pin: '1234', url: 'x' }, fields)).toEqual({ ok: false, reason: 'url: is not a known field' });
    expect(readFields(JSON.parse('{"user":"u-1","pin":"1234","__proto__":"x"}') as Record<string, unknown>, fields)).toEqual({
      ok: false,
      reason: '__proto__: is not a known field',
    });
  });

  it('are refused with a word for each that does not fit', () => {
    expect(readFields({ user: 7 }, fields)).toEqual({
      ok: false,
      reason: 'user: must be a user key, without white space; pin: must be four digits',
    });
  });

  it.each(['a b', 'a\n', ' a', 'a'.repeat(257), 'ä', ''])('are no key that could break a request: %j', (user) => {
    expect(readFields({ user, pin: '1234' }, fields)).toMatchObject({ ok: false });
  });
});
