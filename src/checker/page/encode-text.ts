import { decodeBytes } from './charset.ts';

/** By character, without those of ASCII. */
type Table = ReadonlyMap<string, readonly number[]>;

const REPLACEMENT = '\ufffd';
/** The first bytes of characters of two, and those that are never written (encoding.spec.whatwg.org). */
const TWO_BYTES: Readonly<Record<string, { readonly leads: readonly [first: number, last: number]; readonly last?: string }>> = {
  gbk: { leads: [0x81, 0xfe] },
  gb18030: { leads: [0x81, 0xfe] },
  big5: { leads: [0xa1, 0xfe], last: '═╞╡╪十卅' },
  'euc-jp': { leads: [0x8e, 0xfe] },
  'euc-kr': { leads: [0x81, 0xfe] },
  shift_jis: { leads: [0x81, 0xec] },
};
const tables = new Map<string, Table>();

/** Text to bytes as browsers send what was typed into a page of this encoding; what it does not know as `&#8364;`. */
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

/** What has no encoder to speak of is sent as UTF-8. */
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

/** All characters that begin with this byte, a line each. */
function putRow(table: Map<string, readonly number[]>, encoding: string, lead: number, last: string): void {
  const trails = Array.from({ length: 0xff - 0x40 }, (_, i) => i + 0x40);
  const lines = decodeBytes(Uint8Array.from(trails.flatMap((trail) => [lead, trail, 0x0a])), encoding).split('\n');
  trails.forEach((trail, place) => {
    const char = lines[place] ?? '';
    if (last.includes(char)) table.delete(char);
    put(table, char, [lead, trail]);
  });
}

/** Of several ways to write a character the first is used. */
function put(table: Map<string, readonly number[]>, char: string, bytes: readonly number[]): void {
  const isOne = char === String.fromCodePoint(char.codePointAt(0) ?? 0);
  if (isOne && char !== REPLACEMENT && !table.has(char)) table.set(char, bytes);
}
