import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.ts';

const known = ['title', 'url', 'uptimeUrl', 'period', 'id'];

describe('nearestName', () => {
  it.each([
    ['titel', 'title'],
    ['Title', 'title'],
    ['peroid', 'period'],
    ['uptimeurl', 'uptimeUrl'],
    ['ulr', null],
    ['urls', 'url'],
    ['colour', null],
    ['', null],
    ['title'.repeat(20), null],
  ])('finds for %j the name %j', (given, expected) => {
    expect(nearestName(given, known)).toBe(expected);
  });
});
