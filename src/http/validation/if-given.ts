import { ValidateIf } from 'class-validator';

/** May be left out, but is not null: what was ignored without a word would look as if it had been done. */
export const IfGiven = (): PropertyDecorator => (target, property) => {
  ValidateIf((dto: Readonly<Record<string | symbol, unknown>>) => dto[property] !== undefined)(target, property);
};
