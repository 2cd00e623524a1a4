import { expect } from '@jest/globals';
import type { Answer } from './api-client.ts';

/** The body of an error: the members of the interface exactly, and those for programs. */
export const errorBody = (code: number, message: unknown = expect.any(String)): object => ({
  ...{ message, code, ok: false, error: true },
  ...{
    errorCode: expect.stringMatching(/^[A-Z_]+$/),
    docs: expect.stringMatching(/^\/docs\/errors#[A-Z_]+$/),
    requestId: expect.any(String),
  },
});

/** The same of invalid input, which lists its problems. */
export const invalidInput = (message: unknown = expect.any(String)): unknown =>
  expect.objectContaining({ ...errorBody(400, message), errors: expect.any(Array) });

/** The body of an answer, without what tells requests apart: two refusals that a caller must not tell apart are equal. */
export const withoutRequestId = ({ body }: Pick<Answer, 'body'>): unknown => ({ ...body, requestId: null });
