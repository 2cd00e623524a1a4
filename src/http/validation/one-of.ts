import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

export const IsOneOf = (choices: readonly (string | number)[], options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isOneOf',
      validator: {
        validate: (value: unknown) => choices.some((choice) => choice === value),
        defaultMessage: buildMessage(() => `must be one of ${choices.join(', ')}`, options),
      },
    },
    options,
  );
