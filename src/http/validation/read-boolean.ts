const SPELLINGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A boolean in the spellings of clients: of JSON, of PHP (`1`), of Python in a query (`True`). Undefined: not a boolean. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  return Object.hasOwn(SPELLINGS, word) ? SPELLINGS[word] : undefined;
}
