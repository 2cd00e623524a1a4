import { expect, it, jest } from '@jest/globals';
import { SealBroken } from './keyring.ts';
import { SubjectKey } from './subject-key.ts';

it('decrypts a text that is opened again only once, and any other text anew', () => {
  const key = new SubjectKey('project-1', Buffer.alloc(32, 1));
  const [one, other] = [key.seal('one'), key.seal('other')];
  const decoded = jest.spyOn(Buffer, 'from');
  expect([key.open(one), key.open(one), key.open(other), key.open(one)]).toEqual(['one', 'one', 'other', 'one']);
  expect(decoded.mock.calls.filter(([text]) => text === (one.sealed as unknown)).length).toBe(2);
  decoded.mockRestore();
  const changed = { ...one, sealed: `${one.sealed.slice(0, -4)}AAAA` };
  expect(() => key.open(changed)).toThrow(SealBroken);
  expect(key.open(one)).toBe('one');
});
