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

function sentences(error: ValidationError, parent: string): readonly string[] {
  const path = `${parent}${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([kind, text]) =>
    kind === 'whitelistValidation' ? `${path}: is not a known field` : `${path}: ${text}`,
  );
  return [...own, ...(error.children ?? []).flatMap((child) => sentences(child, `${path}.`))].map((sentence) => sentence.slice(0, 300));
}
