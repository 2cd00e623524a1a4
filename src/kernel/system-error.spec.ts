import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from './errors.ts';
import { reasonOf } from './system-error.ts';

describe('the reason of an error', () => {
  it('is that of the deepest cause of a store that is not available, and its own where it has none', () => {
    const cause = new Error('appending', { cause: new Error('connect ECONNREFUSED') });
    expect(reasonOf(new StoreUnavailable('the store is away', { cause }))).toBe('the store is away (connect ECONNREFUSED)');
    expect(reasonOf(new StoreUnavailable('the store is silent'))).toBe('the store is silent');
  });

  it('names each of several failed addresses once', () => {
    expect(reasonOf(new AggregateError([new Error('refused'), new Error('refused'), new Error('no route')]))).toBe('refused; no route');
  });

  it('is the text of what is no error', () => {
    expect(reasonOf('stopped')).toBe('stopped');
  });
});
