import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** A rule of our own for a field, with what it says of one that is not so: `must be ...`. */
export const IsThat = (validate: (value: unknown) => boolean, must: string): PropertyDecorator =>
  ValidateBy({ name: must, validator: { validate, defaultMessage: () => must } });

/** The same, of what is first read from the spellings that it comes in. */
export const IsRead =
  (read: (value: unknown) => unknown, validate: (value: unknown) => boolean, must: string): PropertyDecorator =>
  (target, property) => {
    Transform(({ value }: { value: unknown }) => read(value))(target, property);
    IsThat(validate, must)(target, property);
  };
