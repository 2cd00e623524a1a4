import { expect, it } from '@jest/globals';
import { DatabaseHosts } from './database-client.ts';

it('moves on by one host when several connections to one fail, and comes round', () => {
  const hosts = DatabaseHosts.of('postgres://a,b/moves-on');
  const first = hosts.current;
  hosts.skip(first);
  hosts.skip(first);
  expect(hosts.current).toBe('postgres://b/moves-on');
  hosts.skip(hosts.current);
  expect(hosts.current).toBe(first);
});
