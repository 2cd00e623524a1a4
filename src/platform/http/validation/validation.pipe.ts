import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { InvalidInput } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/is-object.ts';
import { isInputClass, readInput } from './input.ts';

/** Reads a body or a query into the input class that the handler declares. */
class InputPipe implements PipeTransform {
  transform(given: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' && type !== 'query') return given;
    if (isInputClass(metatype)) return readInput(metatype, given === undefined ? {} : given);
    refuseInheritedNames(given);
    return given;
  }
}

export const validationPipe = (): PipeTransform => new InputPipe();

/** A handler that reads a plain object by names must not find what every object inherits. */
function refuseInheritedNames(given: unknown): void {
  const names = isObject(given) ? Object.keys(given).filter((name) => name in Object.prototype) : [];
  if (names.length > 0) throw new InvalidInput(names.map((param) => ({ param, message: `${param}: is not a known field` })));
}
