import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

// eslint-disable-next-line no-control-regex -- control characters are what is refused
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text that every store and every recipient can hold: bounded, well-formed Unicode, no control characters but tab and line ends. */
export const isPlainText = (value: unknown, maximum: number): boolean =>
  typeof value === 'string' && value.length <= maximum && !CONTROL.test(value) && isWellFormed(value);

const isWellFormed = (text: string): boolean => !/[\ud800-\udfff]/u.test(text);

/** Some text, and not too much. */
export const IsFilledText = (maximum: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isFilledText',
      validator: {
        validate: (value: unknown) => value !== '' && isPlainText(value, maximum),
        defaultMessage: buildMessage(() => `must be text of 1 to ${String(maximum)} characters without control characters`, options),
      },
    },
    options,
  );

/** A password may hold whatever a keyboard gives. */
export const IsPassword = (least: number, most: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isPassword',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && value.length >= least && value.length <= most,
        defaultMessage: buildMessage(() => `must be text of ${String(least)} to ${String(most)} characters`, options),
      },
    },
    options,
  );

/** A list of texts, maybe an empty one. */
export const ArePlainText = (maximum: number, length: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'arePlainText',
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.length <= length && value.every((one) => isPlainText(one, maximum)),
        defaultMessage: buildMessage(
          () => `must be a list of at most ${String(length)} texts of at most ${String(maximum)} characters`,
          options,
        ),
      },
    },
    options,
  );

export const IsPlainText = (maximum: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isPlainText',
      validator: {
        validate: (value: unknown) => isPlainText(value, maximum),
        defaultMessage: buildMessage(() => `must be text of at most ${String(maximum)} characters without control characters`, options),
      },
    },
    options,
  );
