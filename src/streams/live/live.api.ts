import { may, type Operations } from '../../platform/http/description/operation.ts';
import {
  eitherOf,
  flag,
  integer,
  named,
  number,
  orNull,
  record,
  text,
  type ValueOf,
  word,
} from '../../platform/http/description/schema.ts';
import { failures, idPath, objectIdSchema, unixTime, uuidSchema } from '../../platform/http/description/vocabulary.ts';
import { eventSchema } from '../../history/history.api.ts';

/** The data of a `result` message. */
const liveResult = named(
  'LiveResult',
  record('The result of a run, as it comes', {
    testId: objectIdSchema('The test'),
    status: word(['ok', 'error', 'timeout'], 'Outcome of the run'),
    failures,
    httpStatus: integer('Status of the answer; 0 without one', { minimum: 0 }),
    startedAt: unixTime('Beginning of the run'),
    duration: number('Seconds'),
    confirming: flag('It is the second run, which confirms a failure'),
    jobId: orNull(text('The job that started it; null for a scheduled run')),
  }),
);
export type LiveResult = ValueOf<typeof liveResult>;

/** docs/spec/beyond.md#B9. */
export const liveOperations: Operations = {
  'GET /project/:id/live': {
    id: 'followProject',
    tag: 'Status',
    summary: 'Live stream of changes',
    description:
      'Server-sent events: an `Event` of status, uptime, certificate, redirect or correction, with its id, and `result` messages without an id. Resumable.',
    path: idPath,
    query: { lastEventId: may(uuidSchema('The same as the header, for clients that cannot set it')) },
    headers: { 'Last-Event-ID': may(uuidSchema('Resume after this event')) },
    answer: {
      'text/event-stream': {
        schema: text('An endless stream; a comment every 15 s'),
        messages: eitherOf('The data of a message', eventSchema, liveResult),
      },
    },
  },
};
