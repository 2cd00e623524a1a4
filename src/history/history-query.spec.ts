import { describe, expect, it } from '@jest/globals';
import { formatOf } from './history-query.ts';

describe('the format of a history', () => {
  it.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; charset=utf-8', 'csv'],
    ['text/csv, */*', 'csv'],
    ['text/csv, application/json', 'csv'],
    ['application/json, text/csv', 'json'],
    ['application/json, text/csv;q=0.5', 'json'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['text/csv;q=0, */*', 'json'],
    ['application/json;q=0, */*', 'csv'],
    ['text/csv;q=0.2, application/x-ndjson;q=0.8', 'jsonl'],
    ['application/x-ndjson', 'jsonl'],
    ['application/*', 'json'],
    ['text/html', 'json'],
  ])('by Accept %p is %s', (accept, format) => {
    expect(formatOf(undefined, accept)).toBe(format);
  });

  it('is the one that the query names, whatever the client accepts', () => {
    expect(['json', 'csv', 'jsonl', 'ndjson'].map((name) => formatOf(name, 'text/csv'))).toEqual(['json', 'csv', 'jsonl', 'jsonl']);
    expect(() => formatOf('constructor', '')).toThrow('must be json, csv or jsonl');
  });
});
