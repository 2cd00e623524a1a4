const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;
export const xmlName = (text: string): string => (NAME.test(text) ? text : `_${text.replace(/[^A-Za-z0-9_.:-]/g, '_')}`);

/** Characters that XML does not allow: control characters except tab and line ends, lone surrogates, and two noncharacters. */
const NO_XML = /(?![\t\n\r\u0080-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };

/** Nearly every text consists of these alone. */
const UNCHANGED = /^[\t\n !#-%'-;=?-~\u00a0-\ud7ff]*$/;
const UNCHANGED_VALUE = /^[ !#-%'-;=?-~\u00a0-\ud7ff]*$/;

export const xmlText = (text: string): string => (UNCHANGED.test(text) ? text : escaped(text));
const escaped = (text: string): string => text.replace(NO_XML, '\ufffd').replace(/[&<>"\r]/g, (char) => ESCAPES[char] ?? char);
export const xmlValue = (text: string): string => (UNCHANGED_VALUE.test(text) ? text : escapedValue(text));
const escapedValue = (text: string): string => escaped(text).replace(/[\n\t]/g, (char) => (char === '\n' ? '&#10;' : '&#9;'));
export const xmlComment = (text: string): string => `<!--${text.replace(NO_XML, '').replace(/-(?=-|$)/g, '- ')}-->`;

/** Declared in XML, a namespace would hide every element from an XPath without prefixes. */
export const isNamespace = (attribute: string): boolean => attribute === 'xmlns' || attribute.startsWith('xmlns:');

/** A document whose elements with an id are declared, for the XPath function `id()`. */
export function xmlDocument(content: string, namesWithId: ReadonlySet<string>): string {
  const ids = [...namesWithId].map((name) => `<!ATTLIST ${name} id ID #IMPLIED>`).join('');
  return `<!DOCTYPE html [${ids}]>${content}`;
}
