import {
  formatUtcOffset,
  isPercentage,
  MAX_CREDIT_TIERS,
  MAX_DECIMALS,
  MAX_METHODS,
  maintenanceRules,
  METHOD_NAME,
  noObjective,
  objectiveWindows,
  parseUtcOffset,
  roundingModes,
  type ServiceObjective,
  standardMethod,
  unknownRules,
} from './objective.settings.ts';
import { number, text, list, named, orNull, record, type ValueOf } from '../../platform/http/description/schema.ts';
import { matching, nullable, object, objects, oneOf, plainText, whole, yesOrNo } from '../../platform/http/validation/fields.ts';
import {
  InlineInput,
  Input,
  type InputField,
  Optional,
  OptionalOrNull,
  ReadOnly,
  Required,
  answersOf,
  readInput,
} from '../../platform/http/validation/input.ts';
import { mergePatch } from '../../platform/http/validation/merge-patch.ts';
import { json, type Operations, patches, takes } from '../../platform/http/description/operation.ts';
import { done, idPath, moment, uuidSchema } from '../../platform/http/description/vocabulary.ts';

const percentage = (description: string, example: number): InputField<number> => ({
  schema: number(description, { minimum: 0, maximum: 100, examples: [example] }),
  accepts: (value) => typeof value === 'number' && isPercentage(value),
  must: 'must be a percentage from 0 to 100 with at most four decimals',
});

const utcOffset: InputField<string> = {
  schema: text('UTC offset of days and months', { default: '+00:00', examples: ['+01:00'] }),
  accepts: (value) => typeof value === 'string' && parseUtcOffset(value) !== null,
  must: 'must be an existing UTC offset such as +01:00, from -12:00 to +14:00 in quarters of an hour',
};

@InlineInput('The availability that is promised')
export class TargetInput {
  @Required(percentage('Availability in percent', 99.9)) percent!: number;
  @Required(oneOf('The calendar window over which it is measured', objectiveWindows)) window!: (typeof objectiveWindows)[number];
}

@InlineInput('What counts as down')
export class DownInput {
  @Optional(yesOrNo('Failures that no second probe confirmed', { default: false })) unconfirmed = false;
  @Optional(yesOrNo('Answers that do not come in time; otherwise they count as up', { default: true })) timeouts = true;
}

@InlineInput('How the percentage is rounded')
export class RoundingInput {
  @Optional(whole('Decimals', 0, MAX_DECIMALS, { default: standardMethod.rounding.decimals })) decimals = standardMethod.rounding.decimals;
  @Optional(oneOf('Towards zero, or to the nearest', roundingModes, { default: 'down' })) mode: (typeof roundingModes)[number] = 'down';
}

@Input('AvailabilityMethodInput', 'How a statement computes availability')
export class AvailabilityMethodInput {
  @Required(
    matching('Name in `?method=`', METHOD_NAME, 'must be 1 to 40 lower-case letters, digits and hyphens', { examples: ['standard'] }),
  )
  name!: string;
  @Optional(plainText('Title in the statement; missing: the name', 100, { examples: ['standard'] })) title?: string;
  @Optional(object(DownInput)) down: DownInput = new DownInput();
  @Optional(oneOf('Maintenance that is left out of the counted time', maintenanceRules, { default: standardMethod.maintenance }))
  maintenance = standardMethod.maintenance;
  @Optional(oneOf('Time without measurements; it never counts as up', unknownRules, { default: standardMethod.unknown }))
  unknown = standardMethod.unknown;
  @Optional(object(RoundingInput)) rounding: RoundingInput = new RoundingInput();
}

@Input('CreditTierInput', 'A credit for availability below a limit')
export class CreditTierInput {
  @Required(percentage('Availability below it gives the credit', 99.9)) below!: number;
  @Required(percentage('The credit, percent of the fee', 10)) percent!: number;
}

@Input('NewObjective', 'The service-level objective of a project; it replaces the one before')
export class SetObjectiveDto {
  @OptionalOrNull(nullable(object(TargetInput))) objective?: TargetInput | null;
  @Optional(utcOffset) offset = '+00:00';
  @Optional(objects(AvailabilityMethodInput, 'Methods that stand side by side; none: the standard method', MAX_METHODS))
  methods: AvailabilityMethodInput[] = [];
  @Optional(objects(CreditTierInput, 'Credits, the highest limit first', MAX_CREDIT_TIERS)) credits: CreditTierInput[] = [];
  @ReadOnly() setAt?: unknown;
  @ReadOnly() event?: unknown;
}

export const toObjective = ({ objective, offset, methods, credits }: SetObjectiveDto): ServiceObjective => ({
  target: objective ? { percent: objective.percent, window: objective.window } : null,
  offsetMinutes: parseUtcOffset(offset) ?? 0,
  methods:
    methods.length === 0
      ? [standardMethod]
      : methods.map(({ name, title, down, maintenance, unknown, rounding }) => ({
          name,
          title: title ?? name,
          maintenance,
          unknown,
          down: { unconfirmed: down.unconfirmed, timeouts: down.timeouts },
          rounding: { decimals: rounding.decimals, mode: rounding.mode },
        })),
  credits: credits.map(({ below, percent }) => ({ below, percent })),
});

/** As answers and requests spell it. */
export const fieldsOfObjective = ({ target, offsetMinutes, methods, credits }: ServiceObjective) => ({
  objective: target,
  offset: formatUtcOffset(offsetMinutes),
  methods,
  credits,
});

/** Rejects what the merged objective may not be. */
export const patchedObjective = (today: ServiceObjective | null, patch: unknown): ServiceObjective =>
  toObjective(readInput(SetObjectiveDto, mergePatch(fieldsOfObjective(today ?? noObjective), patch)));

export const availabilityMethodSchema = named(
  'AvailabilityMethod',
  record('How a statement computes availability', answersOf(AvailabilityMethodInput)),
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
