import { InvalidInput } from '../../kernel/errors.ts';
import { readBoolean } from '../../platform/http/validation/fields.ts';

/** Which maintenance a report leaves out: none, only what was recorded before it began, or all. */
export type Exclusion = 'none' | 'announced' | 'all';

/** `?excludeMaintenance`, `=true`, `=announced`. */
export function readExclusion({ excludeMaintenance: value }: Readonly<Record<string, unknown>>): Exclusion {
  if (value === 'announced') return value;
  const isExcluded = value === undefined ? false : value === '' ? true : readBoolean(value);
  if (isExcluded === undefined)
    throw new InvalidInput('excludeMaintenance: must be true, false or announced', { allowed: [true, false, 'announced'] });
  return isExcluded ? 'all' : 'none';
}
