import { ValidateBy, type ValidationArguments } from 'class-validator';
import { readSiteUrl } from '../../domain/project/site-url.ts';

/** An address that may be a site's (docs/spec/decisions.md#P4); says what is wrong with it otherwise. */
export const IsSiteUrl = (): PropertyDecorator =>
  ValidateBy({
    name: 'isSiteUrl',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && readSiteUrl(value).kind === 'valid',
      defaultMessage: (given?: ValidationArguments) => `is not a valid URL: ${reasonOf(given?.value)}`,
    },
  });

function reasonOf(value: unknown): string {
  if (typeof value !== 'string') return 'it is not text';
  const read = readSiteUrl(value);
  return read.kind === 'invalid' ? read.reason : '';
}
