import { expect, it } from '@jest/globals';
import { parseHosts } from './resolver.ts';

it('reads names in any case, several per line, and ignores comments and lines without an address', () => {
  const hosts = parseHosts(
    '127.0.0.1\tlocalhost Loop.test # here\n::1 localhost\n# 10.0.0.1 off.test\n\nnonsense a.test\n10.0.0.2  a.test  ',
  );
  expect(Object.fromEntries(hosts)).toEqual({ localhost: ['127.0.0.1', '::1'], 'loop.test': ['127.0.0.1'], 'a.test': ['10.0.0.2'] });
});
