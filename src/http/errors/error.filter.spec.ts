import { afterEach, expect, it, jest } from '@jest/globals';
import { type ArgumentsHost, Logger } from '@nestjs/common';
import { ErrorFilter } from './error.filter.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

it('logs an unforeseen error with the id of its request, and reveals nothing of it in the answer', () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const sent: unknown[] = [];
  const reply = {
    raw: { headersSent: false },
    status: () => reply,
    headers: () => reply,
    type: () => reply,
    send: (body: unknown) => sent.push(body),
  };
  const http = { getRequest: () => ({ id: 'request-1' }), getResponse: () => reply };
  const err = new Error('a row of the table secrets');
  new ErrorFilter({ report: () => undefined }, { refused: () => undefined }).catch(err, {
    switchToHttp: () => http,
  } as unknown as ArgumentsHost);
  expect(logged).toHaveBeenCalledWith({ err, requestId: 'request-1' });
  expect(JSON.stringify(sent)).not.toContain('secrets');
});
