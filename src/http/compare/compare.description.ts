import { json, may, must, type Operations } from '../description/operation.ts';
import { anything, list, record, ref, text } from '../description/schema.ts';
import { idPath, UUID, uuid } from '../description/vocabulary.ts';

const point = (description: string) =>
  text(`${description}: an ISO 8601 instant or a position of the log`, { examples: ['2023-03-23T12:53:20+00:00', '4711'] });

/** docs/spec/beyond.md#B3. */
export const compareSchemas = {
  Comparison: record('What differs between two instants', {
    from: text('As it was asked'),
    to: text('As it was asked'),
    changes: list(ref('Difference'), 'Field by field'),
  }),
  Difference: record('A field', {
    path: text('Such as `project.title` or `tests/<id>.enabled`; the path alone for what came or went'),
    from: anything('Null: was not there'),
    to: anything('Null: is not there'),
    events: list(uuid('An event'), 'What made the difference'),
  }),
};

export const compareOperations: Operations = {
  'GET /project/:id/compare': {
    ...{ id: 'compare', tag: 'History', summary: 'What differs of a project between two instants', path: idPath },
    query: { from: must(point('Earlier')), to: may(point('Later; now when it is missing')) },
    answer: json(ref('Comparison'), {
      ...{ from: '2023-03-22T00:00:00Z', to: '4711' },
      changes: [{ path: 'project.title', from: 'Shop', to: 'Example', events: [UUID] }],
    }),
  },
};
