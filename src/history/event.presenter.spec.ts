import { expect, it } from '@jest/globals';
import { samples } from '../../test/samples/samples.ts';
import { withoutSecrets } from './event.presenter.ts';

it('hides secrets at any depth, and copies nothing else', () => {
  const secret = { subject: 'project', sealed: 'c2VhbGVk' };
  expect(withoutSecrets({ a: [{ b: secret }, 1], c: null })).toEqual({ a: [{ b: '(hidden)' }, 1], c: null });
  expect(withoutSecrets(secret)).toBe('(hidden)');
  const plain = { a: [{ b: 1 }], c: null };
  expect(withoutSecrets(plain)).toBe(plain);
  expect(Object.values(samples('5f0c')).some((data: object) => withoutSecrets(data) !== data)).toBe(true);
});
