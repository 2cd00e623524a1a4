import { IsRead } from './is-that.ts';

const WORDS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A yes or no in the spellings that clients have for it: of JSON, of PHP (`1`), of Python in a query (`True`). Undefined: it is none. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}

/** Read by `readBoolean`; what it does not know is refused as it came. */
export const IsSwitch = (): PropertyDecorator =>
  IsRead(
    (value) => readBoolean(value) ?? value,
    (value) => typeof value === 'boolean',
    'must be true or false',
  );
