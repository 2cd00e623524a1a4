import { asText, may, type Operations } from '../description/operation.ts';
import { idPath, uuidSchema } from '../description/vocabulary.ts';

/** docs/spec/beyond.md#B9. */
export const liveOperations: Operations = {
  'GET /project/:id/live': {
    ...{ id: 'followProject', tag: 'Status', summary: 'Live stream of changes' },
    description:
      'Server-sent events: an `Event` of status, uptime, certificate, redirect or correction, with its id, and `result` messages without an id. Resumable.',
    path: idPath,
    query: { lastEventId: may(uuidSchema('The same as the header, for clients that cannot set it')) },
    headers: { 'Last-Event-ID': may(uuidSchema('Resume after this event')) },
    answer: asText('text/event-stream', 'An endless stream; a comment every 15 s'),
  },
};
