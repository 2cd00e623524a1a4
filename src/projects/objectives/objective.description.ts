import { json, type Operations, patches, takes } from '../../platform/http/description/operation.ts';
import { list, named, orNull, record, type ValueOf } from '../../platform/http/description/schema.ts';
import { done, idPath, moment, uuidSchema } from '../../platform/http/description/vocabulary.ts';
import { answersOf } from '../../platform/http/validation/input.ts';
import { AvailabilityMethodInput, SetObjectiveDto } from './objective.dto.ts';

export const availabilityMethodSchema = named(
  'AvailabilityMethod',
  record(
    'How a statement computes availability',
    answersOf(AvailabilityMethodInput, 'name', 'title', 'down', 'maintenance', 'unknown', 'rounding'),
  ),
);

const objectiveSchema = named(
  'Objective',
  record('The service-level objective of a project', {
    ...answersOf(SetObjectiveDto, 'objective', 'offset', 'credits'),
    methods: list(availabilityMethodSchema, 'Methods that stand side by side in a statement'),
    setAt: orNull(moment('When it was set; null: never, these are the defaults')),
    event: orNull(uuidSchema('The event that set it')),
  }),
);
export type ObjectiveAnswer = ValueOf<typeof objectiveSchema>;

export const objectiveOperations: Operations = {
  'GET /project/:id/objective': {
    id: 'getObjective',
    tag: 'Uptime',
    summary: 'Read the service-level objective',
    path: idPath,
    answer: json(objectiveSchema),
  },
  'PUT /project/:id/objective': {
    id: 'setObjective',
    tag: 'Uptime',
    summary: 'Set objective, methods and credits',
    path: idPath,
    description: 'Replaces the whole objective; a member that is missing takes its default.',
    body: takes(SetObjectiveDto, {
      objective: { percent: 99.9, window: 'month' },
      offset: '+01:00',
      credits: [{ below: 99.9, percent: 10 }],
    }),
    answer: json(objectiveSchema),
  },
  'PATCH /project/:id/objective': {
    id: 'patchObjective',
    tag: 'Uptime',
    summary: 'Change the objective by a merge patch',
    path: idPath,
    body: patches(SetObjectiveDto, 'ObjectivePatch', { objective: { percent: 99.5 }, credits: null }),
    answer: json(objectiveSchema),
  },
  'DELETE /project/:id/objective': {
    id: 'removeObjective',
    tag: 'Uptime',
    summary: 'Remove the service-level objective',
    path: idPath,
    answer: done,
  },
};
