import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { InvalidInput } from '../../kernel/errors.ts';

/** Unknown names are refused, each offending field is named; nested ones by their path. */
export const validationPipe = (): ValidationPipe =>
  new ValidationPipe({
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
