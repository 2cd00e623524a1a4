import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';
import { Transform } from 'class-transformer';

const WORDS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A yes or no in the spellings that clients have for it: of JSON, of PHP (`1`), of Python in a query (`True`). Undefined: it is none. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}

/** Read by `readBoolean`; what it does not know is refused as it came. */
export const IsSwitch =
  (options?: ValidationOptions): PropertyDecorator =>
  (target, property) => {
    Transform(({ value }: { value: unknown }) => readBoolean(value) ?? value)(target, property);
    ValidateBy(
      {
        name: 'isSwitch',
        validator: {
          validate: (value: unknown) => typeof value === 'boolean',
          defaultMessage: buildMessage(() => 'must be true or false', options),
        },
      },
      options,
    )(target, property);
  };
