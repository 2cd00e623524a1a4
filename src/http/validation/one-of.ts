import { IsThat } from './is-that.ts';

export const IsOneOf = (choices: readonly (string | number)[]): PropertyDecorator =>
  IsThat((value) => choices.some((choice) => choice === value), `must be one of ${choices.join(', ')}`);
