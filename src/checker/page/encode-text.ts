import { decodeBytes } from './charset.ts';

/** Bytes by character, without ASCII. */
type Table = ReadonlyMap<string, readonly number[]>;

const REPLACEMENT = '\ufffd';
/** Lead bytes of two-byte characters; of the characters in `last`, the last of several byte sequences is used (encoding.spec.whatwg.org). */
const TWO_BYTES: Readonly<Record<string, { readonly leads: readonly [first: number, last: number]; readonly last?: string }>> = {
  gbk: { leads: [0x81, 0xfe] },
  gb18030: { leads: [0x81, 0xfe] },
  big5: { leads: [0xa1, 0xfe], last: '═╞╡╪十卅' },
  'euc-jp': { leads: [0x8e, 0xfe] },
  'euc-kr': { leads: [0x81, 0xfe] },
  shift_jis: { leads: [0x81, 0xec] },
};
const tables = new Map<string, Table>();

/** Encodes form values as browsers do; characters missing in the encoding become references such as `&#8364;`. */
export function encodeText(text: string, charset: string): Buffer {
  const encoding = sentAs(charset);
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const table = tableOf(encoding);
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else bytes.push(...(table.get(char) ?? Buffer.from(`&#${String(code)};`)));
  }
  return Buffer.from(bytes);
}

/** The encoding that browsers submit in: encodings without an encoder are replaced by UTF-8. */
export const sentAs = (charset: string): string =>
  charset.startsWith('utf-16') || charset === 'iso-2022-jp' || charset === 'replacement' ? 'utf-8' : charset;

function tableOf(encoding: string): Table {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const table = new Map<string, readonly number[]>();
  for (let byte = 0x80; byte <= 0xff; byte++) put(table, decodeBytes(Uint8Array.of(byte), encoding), [byte]);
  const two = TWO_BYTES[encoding];
  if (two !== undefined) for (let lead = two.leads[0]; lead <= two.leads[1]; lead++) putRow(table, encoding, lead, two.last ?? '');
  tables.set(encoding, table);
  return table;
}

/** Decodes all characters with this lead byte, separated by line feeds. */
function putRow(table: Map<string, readonly number[]>, encoding: string, lead: number, last: string): void {
  const trails = Array.from({ length: 0xff - 0x40 }, (_, i) => i + 0x40);
  const lines = decodeBytes(Uint8Array.from(trails.flatMap((trail) => [lead, trail, 0x0a])), encoding).split('\n');
  trails.forEach((trail, place) => {
    const char = lines[place] ?? '';
    if (last.includes(char)) table.delete(char);
    put(table, char, [lead, trail]);
  });
}

/** The first byte sequence of a character wins. */
function put(table: Map<string, readonly number[]>, char: string, bytes: readonly number[]): void {
  const isOne = char === String.fromCodePoint(char.codePointAt(0) ?? 0);
  if (isOne && char !== REPLACEMENT && !table.has(char)) table.set(char, bytes);
}
