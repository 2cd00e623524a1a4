import { buildMessage, isEmail, ValidateBy, type ValidationOptions } from 'class-validator';
import { isPlainText } from './plain-text.ts';

const MAX_LENGTH = 254;

/** The look at the text comes first: the parser of addresses throws at half a surrogate pair. */
export const IsEmailAddress = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isEmailAddress',
      validator: {
        validate: (value: unknown) => isPlainText(value, MAX_LENGTH) && isEmail(value),
        defaultMessage: buildMessage(() => 'must be an e-mail address', options),
      },
    },
    options,
  );
