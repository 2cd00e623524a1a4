import { Transform } from 'class-transformer';

/** `false` and plain numbers are read as the words that answers use: `"false"`, `"15"` (docs/spec/decisions.md#P5). */
export const AsWord = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'boolean' || typeof value === 'number' ? String(value) : value));

/** A number that came as text. */
export const AsNumber = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value));

export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
