import { asText, may, type Operations } from '../description/operation.ts';
import { uuid, idPath } from '../description/vocabulary.ts';

/** docs/spec/beyond.md#B9. */
export const liveOperations: Operations = {
  'GET /project/:id/live': {
    ...{ id: 'followProject', tag: 'Status', summary: 'Changes as they happen' },
    description:
      'Server-sent events: an `Event` of status, uptime, certificate, redirect or a correction with its id, and between them `result` without one. Resumable.',
    path: idPath,
    query: { lastEventId: may(uuid('As the header, for clients that cannot set one')) },
    headers: { 'Last-Event-ID': may(uuid('Go on after this event')) },
    answer: asText('text/event-stream', 'A stream without an end; a comment every 15 s'),
  },
};
