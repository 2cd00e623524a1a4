import { describe, expect, it } from '@jest/globals';
import { maskSecrets } from './address-book.ts';

describe('the answer of a receiver', () => {
  const url = 'https://hooks.example.com/services/T0123/B4567/kXq81LmPz0aaRt';

  it.each([
    `no such hook: ${url}`,
    'Cannot POST /services/T0123/B4567/kXq81LmPz0aaRt',
    'unknown key kXq81LmPz0aaRt',
    '{"error":"kXq81LmPz0aaRt is not a key"}',
  ])('is shown without the secrets of its address: %s', (text) => {
    const shown = maskSecrets(text, { url });
    expect(shown).toContain('(hidden)');
    expect(shown).not.toContain('kXq81');
  });

  it('keeps the rest of its text', () => {
    expect(maskSecrets('the services of example.com are away', { url })).toBe('the services of example.com are away');
    expect(maskSecrets('wrong token abcd-efgh', { token: 'abcd-efgh' })).toBe('wrong token (hidden)');
    expect(maskSecrets('not found: /hook?key=very-secret', { url: 'https://example.com/hook?key=very-secret' })).toBe(
      'not found: (hidden)',
    );
  });
});
