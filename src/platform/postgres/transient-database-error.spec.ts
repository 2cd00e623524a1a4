import { describe, expect, it } from '@jest/globals';
import { isTransientDatabaseError } from './transient-database-error.ts';

const error = (message: string, code?: string): Error => Object.assign(new Error(message), code === undefined ? {} : { code });

describe('isTransientDatabaseError', () => {
  it.each([
    error('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'),
    error('terminating connection due to administrator command', '57P01'),
    error('the database system is starting up', '57P03'),
    error('cannot execute INSERT in a read-only transaction', '25006'),
    error('sorry, too many clients already', '53300'),
    error('password authentication failed for user "watchledger"', '28P01'),
    error('Connection terminated unexpectedly'),
    error('timeout exceeded when trying to connect'),
    error('Query read timeout'),
    new AggregateError([
      error('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED'),
      error('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'),
    ]),
  ])('recognises: %s', (candidate) => {
    expect(isTransientDatabaseError(candidate)).toBe(true);
  });

  it.each([
    error('duplicate key value', '23505'),
    error('syntax error', '42601'),
    error('no such file', 'ENOENT'),
    new TypeError('x is undefined'),
    'no',
  ])('rejects: %s', (candidate) => {
    expect(isTransientDatabaseError(candidate)).toBe(false);
  });
});
