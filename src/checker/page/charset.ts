import { scanHtml } from './html-scanner.ts';

export interface DecodedText {
  readonly text: string;
  /** The WHATWG name of the encoding. */
  readonly charset: string;
}

/** 0x80 to 0x9f of windows-1252, which Node decodes as ISO-8859-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** 0xa0 to 0xff of ISO-8859-16, which Node does not support. */
const ISO_8859_16 = '\u00a0ĄąŁ€„Š§š©Ș«Ź\u00adźŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ';

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

const SINGLE_BYTE: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  'windows-1252': (bytes) => latin1(bytes).replace(/[\u0080-\u009f]/g, (char) => WINDOWS_1252.charAt(char.charCodeAt(0) - 0x80)),
  'iso-8859-16': (bytes) => latin1(bytes).replace(/[\u00a0-\u00ff]/g, (char) => ISO_8859_16.charAt(char.charCodeAt(0) - 0xa0)),
  'x-user-defined': (bytes) => latin1(bytes).replace(/[\u0080-\u00ff]/g, (char) => String.fromCharCode(0xf700 + char.charCodeAt(0))),
};

/** The encoding of a label by the WHATWG standard (`latin1` is windows-1252); undefined for an unknown label. */
export function encodingOf(label: string): string | undefined {
  const name = label.trim().toLowerCase();
  if (Object.hasOwn(SINGLE_BYTE, name)) return name;
  if (name === 'csiso885916' || name === 'iso885916') return 'iso-8859-16';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

const HEADER_CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;]*))/i;

function declaredIn(contentType: string): string | undefined {
  const match = HEADER_CHARSET.exec(contentType.slice(0, 1000));
  return match === null ? undefined : encodingOf(match[1] ?? match[2] ?? match[3] ?? '');
}

const isXml = (contentType: string): boolean => /^[^;]*(?:\/|\+)xml\b/i.test(contentType);
const XML_DECLARATION = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

const xmlCharset = (head: string): string | undefined => XML_DECLARATION.exec(head)?.[1];

const IN_CONTENT = /charset\s*=\s*(?:["']\s*)?([^\s;"']+)/i;

/** The first valid charset declaration in the head of a page. */
function metaCharset(head: string, isCharset: (label: string) => boolean): string | undefined {
  let found: string | undefined;
  scanHtml(head, {
    attributesOf: new Set(['meta']),
    open: (name, attributes) => {
      if (name !== 'meta' || found !== undefined) return;
      const content = attributes.get('http-equiv')?.toLowerCase() === 'content-type' ? attributes.get('content') : undefined;
      const label = attributes.get('charset') ?? (content === undefined ? undefined : IN_CONTENT.exec(content)?.[1]);
      if (label !== undefined && isCharset(label)) found = label;
    },
  });
  return found;
}

/** Without a declaration: UTF-8 if valid, else windows-1252, the fallback of western browsers. */
function guess(bytes: Uint8Array, cut: boolean): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The encoding by byte order mark or content type, which win over what the page declares. */
export const certainCharset = (bytes: Uint8Array, contentType: string): string | undefined =>
  byteOrderMark(bytes) ?? declaredIn(contentType);

/** The WHATWG name of the encoding of a page. */
export function charsetOf(bytes: Uint8Array, contentType: string, cut: boolean): string {
  const certain = certainCharset(bytes, contentType);
  if (certain !== undefined) return certain;
  const head = latin1(bytes.subarray(0, 64 * 1024));
  // In HTML an XML declaration counts only if there is no other.
  const inside = isXml(contentType)
    ? xmlCharset(head)
    : (metaCharset(head, (label) => encodingOf(label) !== undefined) ?? (head.startsWith('<?xml') ? xmlCharset(head) : undefined));
  const encoding = inside === undefined ? undefined : encodingOf(inside);
  // A declaration that is readable as ASCII cannot be in UTF-16.
  if (encoding?.startsWith('utf-16') === true) return 'utf-8';
  if (encoding === 'x-user-defined') return 'windows-1252';
  return encoding ?? guess(bytes, cut);
}

/** Decodes as browsers do. An incomplete character at the end of a cut page is dropped. */
export function decodeText(bytes: Uint8Array, contentType: string, cut = false): DecodedText {
  const charset = charsetOf(bytes, contentType, cut);
  return { charset, text: decodeBytes(bytes, charset, cut) };
}

/** `charset`: a result of `encodingOf`. */
export const decodeBytes = (bytes: Uint8Array, charset: string, cut = false): string =>
  SINGLE_BYTE[charset]?.(bytes) ?? new TextDecoder(charset).decode(bytes, { stream: cut });
