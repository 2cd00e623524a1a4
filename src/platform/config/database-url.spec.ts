import { expect, it } from '@jest/globals';
import { hostUrls } from './values.ts';

it.each([
  ['postgres://u:p%40ss@db/w?sslmode=require', ['postgres://u:p%40ss@db/w?sslmode=require']],
  [
    'postgres://u:p%40ss@a:5433,b/w?target_session_attrs=read-write&sslmode=require',
    ['postgres://u:p%40ss@a:5433/w?sslmode=require', 'postgres://u:p%40ss@b/w?sslmode=require'],
  ],
  ['postgresql://[::1]:5432,127.0.0.1/w', ['postgresql://[::1]:5432/w', 'postgresql://127.0.0.1/w']],
])('splits %s into the addresses of its hosts', (url, urls) => {
  expect(hostUrls(url)).toEqual(urls);
});
