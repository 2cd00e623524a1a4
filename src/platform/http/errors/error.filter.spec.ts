import { afterEach, expect, it, jest } from '@jest/globals';
import { type ArgumentsHost, Logger, NotFoundException } from '@nestjs/common';
import { ProjectNotFound } from '../../../projects/project.decider.ts';
import { TooManyInvitations } from '../../../projects/members/invitation.decider.ts';
import type { Limit } from '../../../kernel/limits.ts';
import { ErrorFilter } from './error.filter.ts';
import { Forbidden, RateLimited } from './refusals.ts';
import { hidesProjectsSlot } from '../context/request-state.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const hostOf = (request: object, sent: unknown[]): ArgumentsHost => {
  const reply = {
    raw: { headersSent: false },
    status: () => reply,
    headers: () => reply,
    type: () => reply,
    send: (body: unknown) => sent.push(body),
  };
  return { switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }) } as unknown as ArgumentsHost;
};

it('counts the refusal of a limit by its name', () => {
  const counted: Limit[] = [];
  const filter = new ErrorFilter({ report: () => undefined }, { refused: (limit) => counted.push(limit) });
  for (const error of [new RateLimited(5, 'guesses'), new TooManyInvitations(3), new RateLimited(5), new Forbidden()])
    filter.catch(error, hostOf({ raw: {} }, []));
  expect(counted).toEqual(['guesses', 'invitations']);
});

const answerTo = (error: unknown, request: object): readonly unknown[] => {
  const sent: unknown[] = [];
  new ErrorFilter({ report: () => undefined }, { refused: () => undefined }).catch(error, hostOf(request, sent));
  return sent;
};

it('answers 403 for a project that was deleted meanwhile, where an unknown one is 403', () => {
  const request = { raw: {} };
  hidesProjectsSlot.set(request, true);
  expect(answerTo(new ProjectNotFound(), request)).toEqual([expect.objectContaining({ code: 403 })]);
  hidesProjectsSlot.set(request, false);
  expect(answerTo(new ProjectNotFound(), request)).toEqual([expect.objectContaining({ code: 404 })]);
});

it('logs an unforeseen error with the id of its request, and reveals nothing of it in the answer', () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const err = new Error('a row of the table secrets');
  const sent = answerTo(err, { id: 'request-1', raw: {} });
  expect(logged).toHaveBeenCalledWith({ err, requestId: 'request-1', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(JSON.stringify(sent)).not.toContain('secrets');
});

it('logs no error where the client left while its answer was written', () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const filter = new ErrorFilter({ report: () => undefined }, { refused: () => undefined });
  const ended = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
  filter.catch(ended, hostOf({ raw: { socket: { destroyed: true } } }, []));
  expect(logged).not.toHaveBeenCalled();
  filter.catch(ended, hostOf({ raw: { socket: { destroyed: false } } }, []));
  expect(logged).toHaveBeenCalledTimes(1);
});

it('reports an outage of the database, but no refusal that quotes its words and no client that disconnects while it sends', () => {
  const reported: unknown[] = [];
  const filter = new ErrorFilter({ report: (error) => reported.push(error) }, { refused: () => undefined });
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  filter.catch(new NotFoundException('Cannot PATCH /api/projects?fields=initialConnectionTime'), hostOf({ raw: { complete: true } }, []));
  filter.catch(lost, hostOf({ raw: { complete: false } }, []));
  expect(reported).toEqual([]);
  filter.catch(lost, hostOf({ raw: { complete: true } }, []));
  expect(reported).toEqual([lost]);
});
