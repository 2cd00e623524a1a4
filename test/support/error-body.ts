import { expect } from '@jest/globals';

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
