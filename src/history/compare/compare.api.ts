import { json, may, must, type Operations } from '../../platform/http/description/operation.ts';
import { anything, integer, list, named, record, type Schema, text } from '../../platform/http/description/schema.ts';
import { idPath, nextCursor, uuidSchema } from '../../platform/http/description/vocabulary.ts';

const point = (description: string): Schema<string> =>
  text(`${description}: an ISO 8601 instant or a position of the log`, { examples: ['2023-03-23T12:53:20+00:00', '4711'] });

/** docs/spec/beyond.md#B3. */
const difference = named(
  'Difference',
  record('A field that differs', {
    path: text('Such as `project.title` or `tests/<id>.enabled`; the path alone of an object that was created or deleted', {
      examples: ['project.title'],
    }),
    from: anything('Null: did not exist', { examples: ['Shop'] }),
    to: anything('Null: does not exist', { examples: ['Example'] }),
    events: list(uuidSchema('An event'), 'Events that caused the difference'),
  }),
);
const comparison = named(
  'Comparison',
  record('Differences between two instants', {
    from: text('As requested', { examples: ['2023-03-22T00:00:00Z'] }),
    to: text('As requested', { examples: ['4711'] }),
    changes: list(difference, 'Field by field'),
    nextCursor,
  }),
);

export const compareOperations: Operations = {
  'GET /project/:id/compare': {
    id: 'compare',
    tag: 'History',
    summary: 'Compare a project between two instants',
    path: idPath,
    query: {
      from: must(point('Earlier')),
      to: may(point('Later; missing: now')),
      limit: may(integer('Events of the history that a page covers; 500 if missing', { minimum: 1, maximum: 1_000 })),
      cursor: may(text('`nextCursor` of the previous page', { maxLength: 200 })),
    },
    answer: json(comparison),
  },
};
