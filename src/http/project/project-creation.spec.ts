import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../../event-store/limits.ts';
import { answerOf } from '../errors/answer-of.ts';
import { creationError } from './project-creation.ts';
import { UrlInvalid } from './create-project.input.ts';

describe('a creation that goes wrong', () => {
  it('says only that it failed when nobody foresaw why, and logs the cause', () => {
    const cause = new Error('relation "claims" does not exist');
    const error = creationError(cause);
    expect(error).toMatchObject({ cause });
    expect(answerOf(error)).toEqual({
      status: 500,
      headers: {},
      body: { message: 'The project could not be created. Please try again later, or contact support.' },
      unforeseen: true,
    });
  });

  it('is told as it is when there is a word for it', () => {
    for (const error of [new UrlInvalid('no'), new StoreUnavailable('away')]) expect(creationError(error)).toBe(error);
  });
});
