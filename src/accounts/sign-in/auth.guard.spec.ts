import { describe, expect, it } from '@jest/globals';
import { carriesApiKey } from './auth.guard.ts';

describe('the retired API key in the query', () => {
  it.each([
    '/api/projects?apikey=x',
    '/api/projects?a=1&ApiKey=x',
    '/api/projects?APIKEY',
    '/api/projects?api%6Bey=x',
    '/api/projects?apikey[]=x',
  ])('is recognised in %s', (url) => {
    expect(carriesApiKey(url)).toBe(true);
  });

  it.each(['/api/projects', '/api/apikey', '/api/projects?search=apikey', '/api/projects?%zz=1', '/api/projects?myapikey=1'])(
    'is not recognised in %s',
    (url) => {
      expect(carriesApiKey(url)).toBe(false);
    },
  );
});
