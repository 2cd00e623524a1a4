import { maintenanceRules, objectiveWindows, roundingModes, unknownRules } from './objective.settings.ts';
import { json, type Operations, patches, takes } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, number, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, idPath, moment, uuidSchema } from '../../platform/http/description/vocabulary.ts';
import { SetObjectiveDto } from './objective.dto.ts';

const percent = (description: string, example: number) => number(description, { minimum: 0, maximum: 100, examples: [example] });

export const availabilityMethodSchema = named(
  'AvailabilityMethod',
  record('How a statement computes availability', {
    name: text('Name in `?method=`', { examples: ['standard'] }),
    title: text('Title in the statement', { examples: ['standard'] }),
    down: record('What counts as down', {
      unconfirmed: flag('Failures that no second probe confirmed', { examples: [false] }),
      timeouts: flag('Answers that do not come in time; otherwise they count as up'),
    }),
    maintenance: word(maintenanceRules, 'Maintenance that is left out of the counted time', { examples: ['announced'] }),
    unknown: word(unknownRules, 'Time without measurements; it never counts as up'),
    rounding: record('How the percentage is rounded', {
      decimals: integer('Decimals', { minimum: 0, maximum: 6, examples: [3] }),
      mode: word(roundingModes, 'Towards zero, or to the nearest'),
    }),
  }),
);

const objectiveSchema = named(
  'Objective',
  record('The service-level objective of a project', {
    objective: orNull(
      record('The availability that is promised; null: none', {
        percent: percent('Availability in percent', 99.9),
        window: word(objectiveWindows, 'The calendar window over which it is measured'),
      }),
    ),
    offset: text('UTC offset of days and months', { examples: ['+01:00'] }),
    methods: list(availabilityMethodSchema, 'Methods that stand side by side in a statement'),
    credits: list(
      record('A credit', {
        below: percent('Availability below it gives the credit', 99.9),
        percent: percent('The credit, percent of the fee', 10),
      }),
      'Credits, the highest limit first',
    ),
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
