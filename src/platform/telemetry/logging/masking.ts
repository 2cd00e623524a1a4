const SECRET_KEY =
  /^(x-)?(authorization|proxy-authorization|cookie|set-cookie|pass(word|wd)?|current|new|secret|token|api[-_]?key|user[-_]?key|private[-_]?key|master[-_]?key|jwt|bearer|signature|webhook|dsn|(database|smtp)[-_]?url)s?$/i;
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  // A lookbehind lets a match begin at the first letter of a word alone: from each letter of a long one the search would be quadratic.
  [/(?<!\w)(\w+:\/\/)[^\s/@:]*:[^\s/@]*@/g, '$1***@'],
  [/([?&](?:apikey|api_key|token|key|password|secret|code|state)=)[^&\s"]*/gi, '$1***'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, '$1 ***'],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g, '***'],
];
const MAX_DEPTH = 6;

/** Masks the values of fields with secret names at any depth, and credentials inside texts. */
export function masked(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '...';
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, depth + 1));
  if (isPlain(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]: [string, unknown]) => [key, maskedField(key, inner, depth + 1)]));
  }
  return value;
}

export const maskedField = (key: string, value: unknown, depth = 0): unknown =>
  SECRET_KEY.test(key) && value !== null && value !== undefined ? '***' : masked(value, depth);

export const maskedText = (text: string): string =>
  IN_TEXT.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};
