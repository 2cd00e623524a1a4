import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { InvalidInput } from '../../kernel/errors.ts';

/** A list would be validated element by element, and an empty one would pass as a body without fields. */
class ObjectPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const wantsObject = metadata.type === 'body' && metadata.metatype !== undefined && metadata.metatype !== Object;
    const given = wantsObject && value === undefined ? {} : value;
    if (wantsObject && (typeof given !== 'object' || given === null || Array.isArray(given)))
      throw new InvalidInput('The body must be a JSON object.');
    const names = metadata.type === 'body' || metadata.type === 'query' ? inherited(given) : [];
    if (names.length > 0) throw new InvalidInput(names.map(unknown).join('; '));
    return super.transform(given, metadata);
  }
}

/** Unknown names are refused, each offending field is named; nested ones by their path. */
export const validationPipe = (): ValidationPipe =>
  new ObjectPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    stopAtFirstError: true,
    exceptionFactory: (errors) => new InvalidInput(errors.flatMap((error) => sentences(error, '')).join('; ')),
  });

/** What every object has by birth passes for a known field, and is none. */
const inherited = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value).filter((name) => name in Object.prototype) : [];

const unknown = (path: string): string => `${path}: is not a known field`;
const withoutName = (text: string, name: string): string => (text.startsWith(`${name} `) ? text.slice(name.length + 1) : text);

function sentences(error: ValidationError, parent: string): readonly string[] {
  const path = `${parent}${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([kind, text]) =>
    kind === 'whitelistValidation' ? unknown(path) : `${path}: ${withoutName(text, error.property)}`,
  );
  return [...own, ...(error.children ?? []).flatMap((child) => sentences(child, `${path}.`))].map((sentence) => sentence.slice(0, 300));
}
