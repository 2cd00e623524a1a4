import { maintenanceRules, objectiveWindows, roundingModes, standardMethod, unknownRules } from './objective.settings.ts';
import { json, type Operations, patches, takes } from '../../platform/http/description/operation.ts';
import { flag, integer, list, named, number, orNull, record, text, type ValueOf, word } from '../../platform/http/description/schema.ts';
import { done, EXAMPLE_UUID, idPath, moment, uuidSchema } from '../../platform/http/description/vocabulary.ts';
import { SetObjectiveDto } from './objective.dto.ts';

const percent = (description: string) => number(description, { minimum: 0, maximum: 100 });

export const availabilityMethodSchema = named(
  'AvailabilityMethod',
  record('How a statement computes availability', {
    name: text('Name in `?method=`'),
    title: text('Title in the statement'),
    down: record('What counts as down', {
      unconfirmed: flag('Failures that no second probe confirmed'),
      timeouts: flag('Answers that do not come in time; otherwise they count as up'),
    }),
    maintenance: word(maintenanceRules, 'Maintenance that is left out of the counted time'),
    unknown: word(unknownRules, 'Time without measurements; it never counts as up'),
    rounding: record('How the percentage is rounded', {
      decimals: integer('Decimals', { minimum: 0, maximum: 6 }),
      mode: word(roundingModes, 'Towards zero, or to the nearest'),
    }),
  }),
);

const objectiveSchema = named(
  'Objective',
  record('The service-level objective of a project', {
    objective: orNull(
      record('The availability that is promised; null: none', {
        percent: percent('Availability in percent'),
        window: word(objectiveWindows, 'The calendar window over which it is measured'),
      }),
    ),
    offset: text('UTC offset of days and months'),
    methods: list(availabilityMethodSchema, 'Methods that stand side by side in a statement'),
    credits: list(
      record('A credit', { below: percent('Availability below it gives the credit'), percent: percent('The credit, percent of the fee') }),
      'Credits, the highest limit first',
    ),
    setAt: orNull(moment('When it was set; null: never, these are the defaults')),
    event: orNull(uuidSchema('The event that set it')),
  }),
);
export type ObjectiveAnswer = ValueOf<typeof objectiveSchema>;

const example: ObjectiveAnswer = {
  objective: { percent: 99.9, window: 'month' },
  offset: '+01:00',
  methods: [standardMethod],
  credits: [{ below: 99.9, percent: 10 }],
  setAt: '2023-03-23T12:53:20.000000Z',
  event: EXAMPLE_UUID,
};

export const objectiveOperations: Operations = {
  'GET /project/:id/objective': {
    id: 'getObjective',
    tag: 'Uptime',
    summary: 'Read the service-level objective',
    path: idPath,
    answer: json(objectiveSchema, example),
  },
  'PUT /project/:id/objective': {
    id: 'setObjective',
    tag: 'Uptime',
    summary: 'Set objective, methods and credits',
    path: idPath,
    description: 'Replaces the whole objective; a member that is missing takes its default.',
    body: takes(SetObjectiveDto, { objective: example.objective, offset: '+01:00', credits: example.credits }),
    answer: json(objectiveSchema, example),
  },
  'PATCH /project/:id/objective': {
    id: 'patchObjective',
    tag: 'Uptime',
    summary: 'Change the objective by a merge patch',
    path: idPath,
    body: patches(SetObjectiveDto, 'ObjectivePatch', { objective: { percent: 99.5 }, credits: null }),
    answer: json(objectiveSchema, example),
  },
  'DELETE /project/:id/objective': {
    id: 'removeObjective',
    tag: 'Uptime',
    summary: 'Remove the service-level objective',
    path: idPath,
    answer: done,
  },
};
