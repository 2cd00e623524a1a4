/** The references of ordinary pages. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '\u00a9',
  reg: '\u00ae',
  trade: '\u2122',
  times: '\u00d7',
  laquo: '\u00ab',
  raquo: '\u00bb',
  hellip: '\u2026',
  mdash: '\u2014',
  ndash: '\u2013',
  middot: '\u00b7',
  bull: '\u2022',
  lsquo: '\u2018',
  rsquo: '\u2019',
  ldquo: '\u201c',
  rdquo: '\u201d',
  larr: '\u2190',
  rarr: '\u2192',
  euro: '\u20ac',
};
const REFERENCE = /&(?:#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));|([A-Za-z]+);|(?=[\t\n\f <&]|$)|([A-Za-z0-9]+=)|)/gi;

/** Numbers that stand for themselves. */
const isPlain = (code: number): boolean =>
  (code >= 0x20 && code < 0x7f) ||
  (code >= 0xa0 && code < 0xd800) ||
  (code >= 0xe000 && code < 0xfdd0) ||
  (code >= 0x1f000 && code < 0x1fffe);

/** The text with its character references resolved; null if it has one that needs the whole table or is not closed. */
export function resolveReferences(text: string, isAttribute: boolean): string | null {
  if (!text.includes('&')) return text;
  let isKnown = true;
  const resolved = text.replace(
    REFERENCE,
    (found: string, hex?: string, decimal?: string, name?: string, parameter?: string, at?: number) => {
      const code = hex !== undefined ? parseInt(hex, 16) : Number(decimal);
      const value =
        name !== undefined
          ? Object.hasOwn(NAMED, name)
            ? NAMED[name]
            : undefined
          : isPlain(code)
            ? String.fromCodePoint(code)
            : undefined;
      if (value !== undefined) return value;
      // In an attribute, a name before an equals sign is the parameter of a URL.
      const isLiteral = (isAttribute && parameter !== undefined) || (found === '&' && !/[A-Za-z0-9#]/.test(text.charAt((at ?? 0) + 1)));
      isKnown &&= isLiteral;
      return found;
    },
  );
  return isKnown ? resolved : null;
}
